import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startMachine } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const ORGANIZATION = {
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

it("orgs onboard accepts flags, a file and --via-alias, and orgs get shows the organization", async () => {
  const { claims, cwd, env } = await startMachine();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(ORGANIZATION));
  const nameFlags = ["--name", ORGANIZATION.name, "--contact-name", ORGANIZATION.contactName];
  const contactFlags = ["--contact-email", ORGANIZATION.contactEmail, "--country", ORGANIZATION.countryCode];
  for (const flags of [
    [...nameFlags, ...contactFlags],
    ["--input", "org.json"],
  ]) {
    const result = await claims("orgs", "onboard", "north-pier", ...flags, "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ id: "north-pier", ...ORGANIZATION });
  }
  const viaAlias = await claims(
    ...["org", "onboard", "south-pier", "--input", "org.json", "--via-alias", "--verbose", "-q"],
  );
  expect(viaAlias.stdout).toBe("south-pier\n");
  expect(viaAlias.stderr).toContain(
    "alias /broker/v1/onboard → /v1/partner-organizations/south-pier (long_term)",
  );
  const result = await claims("orgs", "get", "south-pier", "--json");
  expect(JSON.parse(result.stdout)).toMatchObject({ id: "south-pier", ...ORGANIZATION });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("orgs", "get", "juniper-row", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Partner organization juniper-row\n/);
  expect(terminal.stdout.text).toMatch(/^ {2}contactName +Maren Holloway$/m);
});

it("orgs onboard --via-alias sends the id in the body", async () => {
  const { claims, cwd } = await startMachine();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(ORGANIZATION));
  const args = ["orgs", "onboard", "north-pier", "--input", "org.json", "--dry-run", "--json"];
  const canonical = JSON.parse((await claims(...args)).stdout);
  const viaAlias = JSON.parse((await claims(...args, "--via-alias")).stdout);
  expect(canonical.url).toMatch(/\/v1\/partner-organizations\/north-pier$/);
  expect(viaAlias.url).toMatch(/\/broker\/v1\/onboard$/);
  expect(JSON.stringify(viaAlias)).toContain("partnerOrgId");
  expect(JSON.stringify(canonical)).not.toContain("partnerOrgId");
});
