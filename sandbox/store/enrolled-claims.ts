import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import { integer, owner, ownerOf, type RowOf, SqlTable, text } from "./sql-table.ts";

const ENROLLED_CLAIMS = new SqlTable("enrolled_claim", {
  ...owner,
  /** Claims that were enrolled together share it. */
  enrollmentId: text,
  claimId: text,
  litigationCents: integer,
  feeCents: integer,
  createdAt: integer,
});

type NewEnrolledClaim = Omit<RowOf<typeof ENROLLED_CLAIMS>, keyof Caller>;

export const addEnrolledClaim = (store: Store, caller: Caller, claim: NewEnrolledClaim): void =>
  ENROLLED_CLAIMS.insert(store, { ...claim, ...ownerOf(caller) });

/** The caller's claims in litigation. */
export function sumEnrolledClaims(store: Store, caller: Caller) {
  const { count: claims, ...sums } = ENROLLED_CLAIMS.sum(
    store,
    ownerOf(caller),
    "litigationCents",
    "feeCents",
  );
  return { claims, ...sums };
}
