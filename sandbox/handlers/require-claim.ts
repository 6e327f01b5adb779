import { type ClaimRow, findClaim } from "../store/claims.ts";
import type { Caller } from "../store/credentials.ts";
import type { Store } from "../store/open.ts";
import { type Place, recordNotFound } from "./record-not-found.ts";

/** The caller's claim that a request names. */
export function requireClaim(store: Store, caller: Caller, id: string, place: Place): ClaimRow {
  const claim = findClaim(store, caller, id);
  if (claim) return claim;
  throw recordNotFound(caller, { code: "claim_not_found", what: "claim", id, place });
}
