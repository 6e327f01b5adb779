import { describe, expect, it } from "vitest";
import { shouldUseColour } from "../../../../../src/cli/output/colour.ts";

describe("shouldUseColour", () => {
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
  ] as const)("flag %s, environment %j, terminal %s: %s", (flag, env, isTerminal, wanted) => {
    expect(shouldUseColour({ flag, env, isTerminal })).toBe(wanted);
  });
});
