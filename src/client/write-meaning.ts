import { type ClassifiedBody, classifyBody, parseJsonBody } from "./http/classify-body.ts";
import type { ApiResponse } from "./http/response.ts";
import { findStatedFailure } from "./stated-failure.ts";

/** `unrecognized`: something else than the claims service may have responded, and the outcome is unknown. */
export type WriteMeaning = "accepted" | "accepted_without_id" | "unrecognized";

/** The service sends JSON, or nothing. */
export const FOREIGN_KINDS: readonly ClassifiedBody["kind"][] = ["page", "text", "binary"];

/** What a 2xx says about a write (product.md §4, *Accepted*). @param jobId of a submission; null if it shows none */
export function readWriteMeaning(response: ApiResponse, jobId?: string | null): WriteMeaning {
  const hasStatedFailure = findStatedFailure(parseJsonBody(response), jobId !== undefined) !== null;
  if (response.status === 207 || hasStatedFailure) return "unrecognized";
  if (typeof jobId === "string") return "accepted";
  const { kind } = classifyBody(response);
  if (jobId === undefined) return FOREIGN_KINDS.includes(kind) ? "unrecognized" : "accepted";
  const isCreated = response.status === 201 || response.status === 202;
  return isCreated && kind === "object" ? "accepted_without_id" : "unrecognized";
}
