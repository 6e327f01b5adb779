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
