import { type Claim, type ClaimStatus, claim as schema } from "../../src/contract/operations/claims.ts";
import { computeClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { DiligenceReport } from "../../src/domain/diligence/assessment.ts";
import type { Engine } from "../engine/engine.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { toRecord } from "../engine/to-record.ts";
import { CLAIMS, type ClaimRow } from "../store/claims.ts";
import type { Caller } from "../store/credentials.ts";
import { readReport } from "../store/reports.ts";
import { problemErrorAt } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { renderRows } from "./page.ts";
import { requireClaim, requireClient, requireJob } from "./require-record.ts";

export const claims = {
  create({ caller, body: { clientId, jobId } }, engine) {
    const { quiescence, store, random, clock } = engine;
    return quiescence.runForSubject(jobId, () => {
      requireClient(store, caller, clientId, { pointer: "/clientId" });
      const report = requireClaimableReport(engine, caller, jobId);
      const id = random.uuid("claim");
      const { outcome: reviewOutcome } = report.rf8Review;
      const amounts = computeClaimAmounts(report);
      CLAIMS.insert(store, {
        ...caller,
        id,
        clientId,
        jobId,
        reviewOutcome,
        ...amounts,
        createdAt: clock.now(),
      });
      return { json: toClaim(requireClaim(store, caller, id)) };
    });
  },

  list: (input, engine) => renderRows("claims", CLAIMS, input, toClaim, engine),

  status({ caller, query: { claimId } }, { store }) {
    return { json: toClaimStatus(requireClaim(store, caller, claimId, { parameter: "claimId" })) };
  },
} satisfies HandlersOf<"claims">;

function requireClaimableReport({ store }: Engine, caller: Caller, id: string): DiligenceReport {
  const place = { pointer: "/jobId" };
  const job = requireJob(store, caller, id, place);
  const claim = CLAIMS.find(store, { jobId: id });
  if (claim) {
    const detail = `The job already has a claim: ${claim.id}.`;
    throw problemErrorAt("job_already_claimed", { ...place, code: "claimed", detail });
  }
  if (job.state !== "completed") {
    const detail = `The job is ${job.state}; only a completed job becomes a claim.`;
    throw problemErrorAt("job_not_completed", { ...place, code: "not_completed", detail });
  }
  return JSON.parse(readReport(store, job.seq, true));
}

const toClaim = (claim: ClaimRow): Claim => toRecord(schema, { ...claim, currency: "USD" });

function toClaimStatus({ id, status, createdAt, financedAt, enrolledAt }: ClaimRow): ClaimStatus {
  const times = [
    ["open", createdAt],
    ["financed", financedAt],
    ["in_litigation", enrolledAt],
  ] as const;
  const history = times.flatMap(([name, at]) => (at === null ? [] : [{ status: name, at: formatTime(at) }]));
  return { claimId: id, status, history };
}
