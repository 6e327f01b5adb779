import type { FieldError, ProblemCode } from "../../src/contract/problems.ts";
import { findClaim } from "../store/claims.ts";
import { findClient } from "../store/clients.ts";
import type { Caller } from "../store/credentials.ts";
import { findOwnedJob } from "../store/jobs.ts";
import type { Store } from "../store/open.ts";
import { findOrganization } from "../store/organizations.ts";
import { findOwnedScan } from "../store/scans.ts";
import { problemError, problemErrorAt } from "../wire/problem-error.ts";

/** The field of a body or query that names a record. */
export type Place = Pick<FieldError, "pointer" | "parameter">;

/**
 * Makes a function that finds a record of the caller. Another partner's record counts as not found (product.md §5).
 * Without a place, the path names the record.
 */
const requireRecord =
  <Row>(
    code: ProblemCode,
    noun: string,
    find: (store: Store, caller: Caller, id: string) => Row | undefined,
  ) =>
  (store: Store, caller: Caller, id: string, place?: Place): Row => {
    const row = find(store, caller, id);
    if (row) return row;
    const detail = `There is no ${noun} ${id} for this credential in ${caller.environment}.`;
    throw place ? problemErrorAt(code, { ...place, code: "not_found", detail }) : problemError(code, detail);
  };

export const requireClaim = requireRecord("claim_not_found", "claim", findClaim);
export const requireClient = requireRecord("client_not_found", "client", findClient);
export const requireJob = requireRecord("job_not_found", "job", findOwnedJob);
export const requireOrganization = requireRecord(
  "organization_not_found",
  "partner organization",
  findOrganization,
);
export const requireScan = requireRecord("scan_not_found", "scan", findOwnedScan);
