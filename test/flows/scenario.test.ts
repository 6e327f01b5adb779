import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { fixture } from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { shellWithClaims } from "../support/shells.ts";

/** Job → claim → offer → litigation → ledger → dashboard, as one shell script. */
const SCRIPT = `
set -eu
client=$(claims clients create --name "$SELLER" --importer-number 12-3456789 -q)
job=$(claims diligence submit "$FILE" --seller-name "$SELLER" --wait -q)
claims diligence report "$job" --json > report.json
claim=$(claims claims create --client "$client" --job "$job" -q)
claims claims list --json > claims.json
claims offers create --claim "$claim" --json > offer.json
claims claims list --status financed --all -q | claims litigation enroll - --json > enrollment.json
claims claims status "$claim" --json > status.json
claims revenue ledger --all --json > ledger.json
claims revenue dashboard --json > dashboard.json
echo "["
for part in report claims offer enrollment status ledger; do cat "$part.json"; echo ","; done
cat dashboard.json
echo "]"
`;

const sum = (amounts: readonly number[]): number => amounts.reduce((total, each) => total + each, 0);

it("a shell script runs from entry file to dashboard, and the amounts agree", { tags: "large" }, async () => {
  const sandbox = await sandboxForTest();
  const { folder, env } = shellWithClaims();
  const scriptEnv = { ...environmentOf(sandbox), ...env, SELLER, FILE: fixture("sample_entries.csv") };
  const { stdout } = await promisify(execFile)("sh", ["-c", SCRIPT], { cwd: folder, env: scriptEnv });
  const [report, claims, offer, enrollment, status, ledger, dashboard] = JSON.parse(stdout);

  // The claim has the amounts of the job.
  const [claim] = claims.data;
  const { totals, byRoute } = report;
  expect(claim).toMatchObject({
    entryCount: totals.entriesAccepted,
    ieepaDutyCents: totals.ieepaDutyCents,
    interestCents: totals.interestCents,
    estimatedClaimCents: totals.ieepaDutyCents + totals.interestCents,
    litigationCents: byRoute.litigation.ieepaDutyCents + byRoute.litigation.interestCents,
  });
  const grades = Object.values<{ claimCents: number; rateBps: number; advanceCents: number }>(offer.byGrade);
  expect(sum(grades.map(({ claimCents }) => claimCents))).toBe(claim.estimatedClaimCents);

  // The offer has the amounts of the claim.
  for (const { claimCents, rateBps, advanceCents } of grades)
    expect(advanceCents).toBe(Math.floor((claimCents * rateBps) / 10_000));
  expect(offer).toMatchObject({ claimId: claim.id, status: "accepted" });
  expect(sum(grades.map(({ advanceCents }) => advanceCents))).toBe(offer.advanceCents);
  expect(offer.feeCents + offer.payoutCents).toBe(offer.advanceCents);

  // The enrollment has the litigation amount of the claim.
  expect(enrollment.claims).toEqual([
    { claimId: claim.id, litigationCents: claim.litigationCents, feeCents: enrollment.feeCents },
  ]);
  expect(status.history.map((step: { status: string }) => step.status)).toEqual([
    "open",
    "financed",
    "in_litigation",
  ]);

  // The ledger and the dashboard have the fees of both.
  const fees = ledger.data.map(({ amountCents }: { amountCents: number }) => amountCents);
  expect(new Set(fees)).toEqual(new Set([enrollment.feeCents, offer.feeCents]));
  const { revenue } = dashboard;
  expect(revenue.totalCents).toBe(sum(fees));
  const balances = ledger.data.map(({ balanceCents }: { balanceCents: number }) => balanceCents);
  expect(revenue.totalCents).toBe(Math.max(...balances));
  expect(revenue.originationFeeCents + revenue.litigationFeeCents).toBe(revenue.totalCents);
  expect(dashboard).toMatchObject({
    claims: { count: 1, estimatedClaimCents: claim.estimatedClaimCents },
    offers: {
      ...{ accepted: 1, advanceCents: offer.advanceCents, feeCents: offer.feeCents },
      payoutCents: offer.payoutCents,
    },
    litigation: { claims: 1, litigationCents: claim.litigationCents, feeCents: enrollment.feeCents },
  });
  expect(revenue.totalCents).toBe(4_828_012);
});
