import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const ENROLLED_CLAIMS = new sql.SqlTable("enrolled_claim", {
  ...sql.owner,
  /** Claims that were enrolled together share it. */
  enrollmentId: sql.text,
  claimId: sql.text,
  litigationCents: sql.integer,
  feeCents: sql.integer,
  createdAt: sql.integer,
});

type NewEnrolledClaim = Omit<sql.RowOf<typeof ENROLLED_CLAIMS>, keyof Caller>;

export const addEnrolledClaim = (store: Store, caller: Caller, claim: NewEnrolledClaim): void =>
  ENROLLED_CLAIMS.insert(store, { ...claim, ...sql.ownerOf(caller) });

/** The caller's claims in litigation. */
export function sumEnrolledClaims(store: Store, caller: Caller) {
  const { count: claims, ...sums } = ENROLLED_CLAIMS.sum(
    store,
    sql.ownerOf(caller),
    "litigationCents",
    "feeCents",
  );
  return { claims, ...sums };
}
