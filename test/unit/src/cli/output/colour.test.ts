import { describe, expect, it } from "vitest";
import { shouldUseColour } from "../../../../../src/cli/output/format.ts";

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
  ] as const)(
    "with flag %s, environment %j and terminal %s returns %s",
    (flag, env, isTerminal, expected) => {
      expect(shouldUseColour({ flag, env, isTerminal })).toBe(expected);
    },
  );
});
