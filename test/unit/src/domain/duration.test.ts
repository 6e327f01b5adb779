import { expect, it } from "vitest";
import { parseDuration } from "../../../../src/domain/duration.ts";

it.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["1m", 60_000],
  ["1h30m", 5_400_000],
  ["1m5ms", 60_005],
  ["1.5s", 1_500],
  ["0.0015s", 2],
  ["3d", 259_200_000],
  ["0s", 0],
])("parseDuration returns the milliseconds of %s: %d", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

it.each(["", "5", "s", "1 s", "-1s", "1S", "1h30", "1.s", ".5s", "1e3s", "1w"])(
  "parseDuration rejects %j",
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
