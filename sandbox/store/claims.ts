import type { ClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { ClaimState } from "../../src/domain/claims/states.ts";
import type { Rf8Review } from "../../src/domain/diligence/rf8-review.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import {
  computed,
  integer,
  json,
  optionalInteger,
  owner,
  ownerOf,
  type PageRequest,
  plain,
  type RowOf,
  type RowPage,
  SqlTable,
  text,
} from "./sql-table.ts";

const CLAIMS = new SqlTable("claim", {
  seq: integer,
  id: text,
  ...owner,
  clientId: text,
  clientName: computed<string>("(SELECT name FROM client WHERE client.id = client_id)"),
  jobId: text,
  status: plain<ClaimState>(),
  reviewOutcome: plain<Rf8Review["outcome"]>(),
  entryCount: integer,
  ieepaDutyCents: integer,
  interestCents: integer,
  estimatedClaimCents: integer,
  litigationCents: integer,
  byGrade: json<ClaimAmounts["byGrade"]>(),
  createdAt: integer,
  financedAt: optionalInteger,
  enrolledAt: optionalInteger,
});

export type ClaimRow = RowOf<typeof CLAIMS>;

type NewClaim = Omit<ClaimRow, keyof Caller | "seq" | "clientName" | "status" | "financedAt" | "enrolledAt">;

export const addClaim = (store: Store, caller: Caller, claim: NewClaim): void =>
  CLAIMS.insert(store, { ...claim, ...ownerOf(caller), status: "open" });

export const findClaim = (store: Store, caller: Caller, id: string): ClaimRow | undefined =>
  CLAIMS.find(store, { ...ownerOf(caller), id });

/** The claim has an accepted offer. */
export const markFinanced = (store: Store, seq: number, at: number): void =>
  CLAIMS.update(store, { seq }, { status: "financed", financedAt: at });

export const markInLitigation = (store: Store, seq: number, at: number): void =>
  CLAIMS.update(store, { seq }, { status: "in_litigation", enrolledAt: at });

export const findClaimIdByJob = (store: Store, jobId: string): string | undefined =>
  CLAIMS.find(store, { jobId })?.id;

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
): RowPage<ClaimRow> => CLAIMS.page(store, { ...ownerOf(caller), clientId, jobId, status }, page);

/** The caller's claims with a status. */
export const sumClaims = (store: Store, caller: Caller, status: ClaimState) =>
  CLAIMS.sum(store, { ...ownerOf(caller), status }, "estimatedClaimCents");
