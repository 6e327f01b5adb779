import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const FACTS = {
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

async function place() {
  const env = environmentOf(await sandboxForTest());
  const cwd = temporaryFolder();
  return { env, cwd, claims: (...args: string[]) => runCli(args, { env, cwd }) };
}

it("orgs onboard accepts flags, a file and --via-alias, and orgs get shows the organization", async () => {
  const { claims, cwd, env } = await place();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(FACTS));
  const flags = ["--name", FACTS.name, "--contact-name", FACTS.contactName];
  const more = ["--contact-email", FACTS.contactEmail, "--country", FACTS.countryCode];
  for (const how of [
    [...flags, ...more],
    ["--input", "org.json"],
  ]) {
    const made = await claims("orgs", "onboard", "north-pier", ...how, "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ id: "north-pier", ...FACTS });
  }
  const over = await claims(
    ...["org", "onboard", "south-pier", "--input", "org.json", "--via-alias", "--verbose", "-q"],
  );
  expect(over.stdout).toBe("south-pier\n");
  expect(over.stderr).toContain(
    "alias /broker/v1/onboard → /v1/partner-organizations/south-pier (long_term)",
  );
  const got = await claims("orgs", "get", "south-pier", "--json");
  expect(JSON.parse(got.stdout)).toMatchObject({ id: "south-pier", ...FACTS });
  const person = createTerminalContext({ env });
  expect(await person.run("orgs", "get", "juniper-row", "--no-color")).toBe(0);
  expect(person.stdout.text).toMatch(/^Partner organization juniper-row\n/);
  expect(person.stdout.text).toMatch(/^ {2}contactName +Maren Holloway$/m);
});

it("orgs onboard --via-alias sends the id in the body", async () => {
  const { claims, cwd } = await place();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(FACTS));
  const args = ["orgs", "onboard", "north-pier", "--input", "org.json", "--dry-run", "--json"];
  const canonical = JSON.parse((await claims(...args)).stdout);
  const over = JSON.parse((await claims(...args, "--via-alias")).stdout);
  expect(canonical.url).toMatch(/\/v1\/partner-organizations\/north-pier$/);
  expect(over.url).toMatch(/\/broker\/v1\/onboard$/);
  expect(JSON.stringify(over)).toContain("partnerOrgId");
  expect(JSON.stringify(canonical)).not.toContain("partnerOrgId");
});

it("orgs get exits 3 for an unknown id, and the service refuses an invalid id", async () => {
  const { claims, cwd } = await place();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(FACTS));
  const lost = await claims("orgs", "get", "unknown", "--json");
  expect(errorOf(lost)).toMatchObject({ code: "organization_not_found", exitCode: 3 });
  const refused = await claims("orgs", "onboard", "a b", "--input", "org.json", "--json");
  expect(errorOf(refused)).toMatchObject({ code: "validation_failed", exitCode: 5 });
  expect(errorOf(refused).message).toContain("partnerOrgId: must be an id of letters");
});
