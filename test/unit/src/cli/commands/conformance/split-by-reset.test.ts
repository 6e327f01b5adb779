import { expect, it } from "vitest";
import { splitByReset } from "../../../../../../src/cli/commands/conformance/traffic.ts";
import { called, traffic } from "../../../../../support/conformance-trials.ts";

const logged = (number: number, arrivalOffsetMs: number) => called({ number, arrivalOffsetMs });

it("splitByReset splits requests where their numbers begin again, in the order of arrival", () => {
  const { requests } = traffic(
    logged(2, 20),
    logged(1, 10),
    logged(1, 30),
    logged(2, 40),
    logged(3, 40),
    logged(2, 50),
  );
  const parts = splitByReset(requests).map((part) =>
    part.map(({ arrivalOffsetMs, number }) => [arrivalOffsetMs, number]),
  );
  expect(parts).toEqual([
    [
      [10, 1],
      [20, 2],
    ],
    [
      [30, 1],
      [40, 2],
      [40, 3],
    ],
    [[50, 2]],
  ]);
  expect(splitByReset([])).toEqual([[]]);
});
