import type { ClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { ClaimState } from "../../src/domain/claims/states.ts";
import type { Rf8Review } from "../../src/domain/diligence/rf8-review.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const CLAIMS = new sql.SqlTable("claim", {
  seq: sql.integer,
  id: sql.text,
  ...sql.owner,
  clientId: sql.text,
  clientName: sql.computed<string>("(SELECT name FROM client WHERE client.id = client_id)"),
  jobId: sql.text,
  status: sql.plain<ClaimState>(),
  reviewOutcome: sql.plain<Rf8Review["outcome"]>(),
  entryCount: sql.integer,
  ieepaDutyCents: sql.integer,
  interestCents: sql.integer,
  estimatedClaimCents: sql.integer,
  litigationCents: sql.integer,
  byGrade: sql.json<ClaimAmounts["byGrade"]>(),
  createdAt: sql.integer,
  financedAt: sql.optionalInteger,
  enrolledAt: sql.optionalInteger,
});

export type ClaimRow = sql.RowOf<typeof CLAIMS>;

type NewClaim = Omit<ClaimRow, keyof Caller | "seq" | "clientName" | "status" | "financedAt" | "enrolledAt">;

export const addClaim = (store: Store, caller: Caller, claim: NewClaim): void =>
  CLAIMS.insert(store, { ...claim, ...sql.ownerOf(caller), status: "open" });

export const findClaim = (store: Store, caller: Caller, id: string): ClaimRow | undefined =>
  CLAIMS.find(store, { ...sql.ownerOf(caller), id });

/** The claim has an accepted offer. */
export const markFinanced = (store: Store, seq: number, at: number): void =>
  CLAIMS.update(store, { seq }, { status: "financed", financedAt: at });

export const markInLitigation = (store: Store, seq: number, at: number): void =>
  CLAIMS.update(store, { seq }, { status: "in_litigation", enrolledAt: at });

export const findClaimIdByJob = (store: Store, jobId: string): string | undefined =>
  CLAIMS.find(store, { jobId })?.id;

export const listClaims = (
  store: Store,
  caller: Caller,
  { clientId, jobId, status }: Partial<Pick<ClaimRow, "clientId" | "jobId" | "status">>,
  page: sql.PageRequest,
): sql.RowPage<ClaimRow> => CLAIMS.page(store, { ...sql.ownerOf(caller), clientId, jobId, status }, page);

/** The caller's claims with a status. */
export const sumClaims = (store: Store, caller: Caller, status: ClaimState) =>
  CLAIMS.sum(store, { ...sql.ownerOf(caller), status }, "estimatedClaimCents");
