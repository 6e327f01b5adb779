import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";

/** A claim in litigation. The claims that were enrolled together have one id. */
export interface NewEnrolledClaim {
  readonly enrollmentId: string;
  readonly claimId: string;
  readonly litigationCents: number;
  readonly feeCents: number;
  readonly createdAt: number;
}

export function addEnrolledClaim(
  store: Store,
  { partner, environment }: Caller,
  { enrollmentId, claimId, litigationCents, feeCents, createdAt }: NewEnrolledClaim,
): void {
  store.run(
    `INSERT INTO enrolled_claim (partner, environment, enrollment_id, claim_id, litigation_cents, fee_cents, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [partner, environment, enrollmentId, claimId, litigationCents, feeCents, createdAt],
  );
}

/** Of the caller's claims in litigation. */
export function sumEnrolledClaims(store: Store, { partner, environment }: Caller) {
  const [claims, litigationCents, feeCents] = store.get(
    `SELECT COUNT(*), COALESCE(SUM(litigation_cents), 0), COALESCE(SUM(fee_cents), 0) FROM enrolled_claim
     WHERE partner = ? AND environment = ?`,
    [partner, environment],
  ) as [number, number, number];
  return { claims, litigationCents, feeCents };
}
