import { expect, it } from "vitest";
import { shouldUseColour } from "../../../../../src/cli/output/format.ts";
import { bareEnvironment } from "../../../../support/cli.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

it.each([
  [true, { NO_COLOR: "1" }, false, true],
  [false, { FORCE_COLOR: "1" }, true, false],
  [undefined, { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [undefined, { NO_COLOR: "", FORCE_COLOR: "1" }, false, true],
  [undefined, { FORCE_COLOR: "0" }, true, false],
  [undefined, { CLICOLOR_FORCE: "1", TERM: "dumb" }, false, true],
  [undefined, { TERM: "dumb" }, true, false],
  [undefined, { CLICOLOR: "0" }, true, false],
  [undefined, {}, true, true],
  [undefined, {}, false, false],
] as const)(
  "shouldUseColour with flag %s, environment %j and terminal %s returns %s",
  (flag, env, isTerminal, expected) => {
    expect(shouldUseColour({ flag, env, isTerminal })).toBe(expected);
  },
);

it.each([
  [{}, "\u001b[31merror:\u001b[39m "],
  [{ NO_COLOR: "1" }, "error: "],
])("an error on a terminal with %j begins with %j", async (env, beginning) => {
  const { run, stderr } = createTerminalContext({ env: { ...bareEnvironment(), ...env } });
  await run("nonsense");
  expect(stderr.text.slice(0, beginning.length)).toBe(beginning);
});
