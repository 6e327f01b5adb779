import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { startMachine } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("orgs onboard accepts flags and a file, and orgs get shows the organization", async () => {
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
  const quiet = await claims("org", "onboard", "south-pier", "--input", "org.json", "-q");
  expect(quiet.stdout).toBe("south-pier\n");
  const result = await claims("orgs", "get", "south-pier", "--json");
  expect(JSON.parse(result.stdout)).toMatchObject({ id: "south-pier", ...ORGANIZATION });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("orgs", "get", "juniper-row", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Partner organization juniper-row\n/);
  expect(terminal.stdout.text).toMatch(/^ {2}contactName +Maren Holloway$/m);
});
