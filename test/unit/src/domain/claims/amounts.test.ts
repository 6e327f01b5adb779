import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { computeClaimAmounts } from "../../../../../src/domain/claims/amounts.ts";
import { fixture } from "../../../../support/cli.ts";

it.each(["sample_entries", "sample_es003", "es003_mixed", "boundaries"])(
  "computeClaimAmounts of %s: grades add up to the claim, and litigationCents to its litigation route",
  (name) => {
    const report = JSON.parse(readFileSync(fixture(`${name}.expected.json`), "utf8"));
    const { byGrade, estimatedClaimCents, entryCount, litigationCents } = computeClaimAmounts(report);
    const grades = Object.values(byGrade);
    expect(grades.reduce((sum, { claimCents }) => sum + claimCents, 0)).toBe(estimatedClaimCents);
    expect(grades.reduce((sum, { entries }) => sum + entries, 0)).toBe(entryCount);
    const { ieepaDutyCents = 0, interestCents = 0 } = report.byRoute.litigation ?? {};
    expect(litigationCents).toBe(ieepaDutyCents + interestCents);
    expect(estimatedClaimCents).toBe(report.totals.estimatedClaimCents);
  },
);
