import { expect, it } from "vitest";
import { errorOf, runCli } from "../support/cli.ts";
import { startScenario } from "../support/scenario.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("litigation enroll accepts ids as arguments and on stdin", async () => {
  const { env, claims, claim, idOf } = await startScenario();
  const [one, two, three] = [await claim(), await claim(), await claim()];
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("litigation", "enroll", one, "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Enrollment [0-9a-f-]{36}\n/);
  expect(terminal.stdout.text).toMatch(new RegExp(`${one}.* \\$428,669\\.87 .*\\$21,433\\.49`));
  const open = await idOf("claims", "list", "--status", "open");
  const result = await runCli(["litigation", "enroll", "-", "--via-alias", "--json"], { env, input: open });
  const enrolled = JSON.parse(result.stdout).claims as { claimId: string }[];
  expect(enrolled.map(({ claimId }) => claimId)).toEqual([three, two]);
  expect(await idOf("claims", "list", "--status", "open")).toBe("");
  const repeated = await claims("litigation", "enroll", two, "--json");
  expect(errorOf(repeated)).toMatchObject({ code: "claim_in_litigation", exitCode: 5 });
});

it("litigation enroll sends nothing without a claim id", async () => {
  const { claims, env } = await startScenario();
  expect(errorOf(await claims("litigation", "enroll", "--json"))).toMatchObject({ code: "missing_option" });
  const result = await runCli(["litigation", "enroll", "-", "--json"], { env, input: "\n" });
  expect(errorOf(result)).toMatchObject({
    code: "missing_option",
    exitCode: 2,
    message: "no id on stdin",
    hint: expect.stringContaining("claims claims list"),
  });
});
