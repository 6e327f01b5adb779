import { expect, it } from "vitest";
import { computeOffer, computeShare } from "../../../../../src/domain/claims/offer.ts";

const createGrade = (claimCents: number) => ({ entries: 1, claimCents });

const byGrade = (amount: number) => ({
  A: createGrade(amount),
  B: createGrade(amount),
  C: createGrade(amount),
  D: createGrade(amount),
  X: createGrade(amount),
});

it("computeOffer applies the rate of each grade and rounds down to the cent", () => {
  const {
    advanceCents,
    feeCents,
    payoutCents,
    byGrade: grades,
  } = computeOffer({
    byGrade: byGrade(10_001),
    reviewOutcome: "conditional",
  });
  expect(Object.values(grades).map((grade) => [grade.rateBps, grade.advanceCents])).toEqual([
    [8_000, 8_000],
    [6_500, 6_500],
    [4_000, 4_000],
    [1_500, 1_500],
    [0, 0],
  ]);
  expect({ advanceCents, feeCents, payoutCents }).toEqual({
    advanceCents: 20_000,
    feeCents: 400,
    payoutCents: 19_600,
  });
});

it("computeShare is exact when the product exceeds 2^53", () => {
  expect(computeShare(9_007_199_254_740_991, 6_500)).toBe(5_854_679_515_581_644);
});

it("computeOffer is declined with the review, and without an advance", () => {
  const statusOf = (reviewOutcome: "clear" | "declined", cents: number) =>
    computeOffer({ byGrade: byGrade(cents), reviewOutcome }).status;
  expect(statusOf("clear", 100)).toBe("accepted");
  expect(statusOf("declined", 100)).toBe("declined");
  expect(statusOf("clear", 0)).toBe("declined");
});
