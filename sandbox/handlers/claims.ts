import type { Claim, ClaimStatus } from "../../src/contract/claims.ts";
import { computeClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { DiligenceReport } from "../../src/domain/diligence/report.ts";
import type { Engine } from "../engine/engine.ts";
import { formatOptionalTime, formatTime } from "../engine/scheduler/clock.ts";
import { addClaim, type ClaimRow, findClaimIdByJob, listClaims } from "../store/claims.ts";
import { findClient } from "../store/clients.ts";
import type { Caller } from "../store/credentials.ts";
import { readReport } from "../store/reports.ts";
import { problemErrorAt } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { readPageRequest, renderPage } from "./page.ts";
import { recordNotFound } from "./record-not-found.ts";
import { requireClaim } from "./require-claim.ts";
import { requireJob } from "./require-job.ts";

export const claims = {
  create({ caller, body }, engine) {
    const { idle, store, random, clock } = engine;
    return idle.whenSubjectIdle(() => {
      const { clientId, jobId } = body;
      if (!findClient(store, caller, clientId)) {
        const place = { pointer: "/clientId" };
        throw recordNotFound(caller, { code: "client_not_found", what: "client", id: clientId, place });
      }
      const report = requireClaimableReport(engine, caller, jobId);
      const id = random.uuid("claim");
      const { outcome: reviewOutcome } = report.rf8Review;
      const amounts = computeClaimAmounts(report);
      addClaim(store, caller, { id, clientId, jobId, reviewOutcome, ...amounts, createdAt: clock.now() });
      return { json: toClaim(requireClaim(store, caller, id, { pointer: "/claimId" })) };
    }, body.jobId);
  },

  list({ caller, query }, { store }) {
    const found = listClaims(store, caller, query, readPageRequest("claims", query));
    return renderPage("claims", query, found, toClaim);
  },

  status({ caller, query }, { store }) {
    return { json: toClaimStatus(requireClaim(store, caller, query.claimId, { parameter: "claimId" })) };
  },
} satisfies HandlersOf<"claims">;

/** The report of a job that can become a claim. */
function requireClaimableReport({ store }: Engine, caller: Caller, id: string): DiligenceReport {
  const place = { pointer: "/jobId" };
  const job = requireJob(store, caller, id, place);
  const claim = findClaimIdByJob(store, id);
  if (claim !== undefined) {
    const detail = `The job has its claim already: ${claim}.`;
    throw problemErrorAt("job_already_claimed", { ...place, code: "claimed", detail });
  }
  if (job.state !== "completed") {
    const detail = `The job is ${job.state}; only a completed one becomes a claim.`;
    throw problemErrorAt("job_not_completed", { ...place, code: "not_completed", detail });
  }
  return JSON.parse(readReport(store, job.seq, true));
}

const toClaim = (claim: ClaimRow): Claim => ({
  id: claim.id,
  clientId: claim.clientId,
  clientName: claim.clientName,
  jobId: claim.jobId,
  status: claim.status,
  reviewOutcome: claim.reviewOutcome,
  currency: "USD",
  entryCount: claim.entryCount,
  ieepaDutyCents: claim.ieepaDutyCents,
  interestCents: claim.interestCents,
  estimatedClaimCents: claim.estimatedClaimCents,
  litigationCents: claim.litigationCents,
  byGrade: claim.byGrade,
  createdAt: formatTime(claim.createdAt),
  financedAt: formatOptionalTime(claim.financedAt),
  enrolledAt: formatOptionalTime(claim.enrolledAt),
});

function toClaimStatus({ id, status, createdAt, financedAt, enrolledAt }: ClaimRow): ClaimStatus {
  const reached = [
    ["open", createdAt],
    ["financed", financedAt],
    ["in_litigation", enrolledAt],
  ] as const;
  const history = reached.flatMap(([name, at]) =>
    at === null ? [] : [{ status: name, at: formatTime(at) }],
  );
  return { claimId: id, status, history };
}
