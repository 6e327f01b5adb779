import type { ClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { ClaimState } from "../../src/domain/claims/states.ts";
import type { Rf8Review } from "../../src/domain/diligence/rf8-review.ts";
import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { findOwnedRow, listOwnedRows } from "./owned-rows.ts";
import type { PageRequest, RowPage, TableReader } from "./row-page.ts";

export interface NewClaim extends ClaimAmounts {
  readonly id: string;
  readonly clientId: string;
  readonly jobId: string;
  readonly reviewOutcome: Rf8Review["outcome"];
  readonly createdAt: number;
}

export interface ClaimRow extends NewClaim {
  readonly seq: number;
  readonly clientName: string;
  readonly status: ClaimState;
  readonly financedAt: number | null;
  readonly enrolledAt: number | null;
}

const TABLE: TableReader<ClaimRow> = {
  name: "claim",
  columns: `seq, id, client_id, (SELECT name FROM client WHERE client.id = client_id), job_id, status, review_outcome,
    entry_count, ieepa_duty_cents, interest_cents, estimated_claim_cents, litigation_cents, by_grade, created_at,
    financed_at, enrolled_at`,
  read: (row: SqlValue[]) => ({
    seq: row[0] as number,
    id: row[1] as string,
    clientId: row[2] as string,
    clientName: row[3] as string,
    jobId: row[4] as string,
    status: row[5] as ClaimState,
    reviewOutcome: row[6] as Rf8Review["outcome"],
    entryCount: row[7] as number,
    ieepaDutyCents: row[8] as number,
    interestCents: row[9] as number,
    estimatedClaimCents: row[10] as number,
    litigationCents: row[11] as number,
    byGrade: JSON.parse(row[12] as string),
    createdAt: row[13] as number,
    financedAt: row[14] as number | null,
    enrolledAt: row[15] as number | null,
  }),
};

export function addClaim(store: Store, { partner, environment }: Caller, claim: NewClaim): void {
  store.run(
    `INSERT INTO claim (partner, environment, status, id, client_id, job_id, review_outcome, entry_count,
       ieepa_duty_cents, interest_cents, estimated_claim_cents, litigation_cents, by_grade, created_at)
     VALUES (?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      partner,
      environment,
      claim.id,
      claim.clientId,
      claim.jobId,
      claim.reviewOutcome,
      claim.entryCount,
      claim.ieepaDutyCents,
      claim.interestCents,
      claim.estimatedClaimCents,
      claim.litigationCents,
      JSON.stringify(claim.byGrade),
      claim.createdAt,
    ],
  );
}

export const findClaim = (store: Store, caller: Caller, id: string): ClaimRow | undefined =>
  findOwnedRow(store, TABLE, caller, id);

/** An offer on it was accepted. */
export function markFinanced(store: Store, seq: number, at: number): void {
  store.run("UPDATE claim SET status = 'financed', financed_at = ? WHERE seq = ?", [at, seq]);
}

export function markInLitigation(store: Store, seq: number, at: number): void {
  store.run("UPDATE claim SET status = 'in_litigation', enrolled_at = ? WHERE seq = ?", [at, seq]);
}

/** The id of the claim that a job has. */
export const findClaimIdByJob = (store: Store, jobId: string): string | undefined =>
  store.get("SELECT id FROM claim WHERE job_id = ?", [jobId])?.[0] as string | undefined;

interface ClaimFilter {
  readonly clientId?: string;
  readonly jobId?: string;
  readonly status?: ClaimState;
}

export const listClaims = (
  store: Store,
  caller: Caller,
  { clientId, jobId, status }: ClaimFilter,
  page: PageRequest,
): RowPage<ClaimRow> =>
  listOwnedRows(store, TABLE, caller, page, { client_id: clientId, job_id: jobId, status });

/** Of the caller's claims in a state. */
export function sumClaims(store: Store, { partner, environment }: Caller, status: ClaimState) {
  const [count, estimatedClaimCents] = store.get(
    `SELECT COUNT(*), COALESCE(SUM(estimated_claim_cents), 0) FROM claim
     WHERE partner = ? AND environment = ? AND status = ?`,
    [partner, environment, status],
  ) as [number, number];
  return { count, estimatedClaimCents };
}
