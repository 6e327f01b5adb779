import { isRecord } from "../domain/json.ts";
import { hasOneOf, ID_NAMES } from "./envelope.ts";
import { type ClassifiedBody, classifyBody, parseJsonBody } from "./http/classify-body.ts";
import type { ApiResponse } from "./http/response.ts";

/** `unrecognized`: something else than the claims service may have responded, and the outcome is unknown. */
export type WriteMeaning = "accepted" | "accepted_without_id" | "unrecognized";

/** The service sends JSON, or nothing. */
export const FOREIGN_KINDS: readonly ClassifiedBody["kind"][] = ["page", "text", "binary"];

/** What a 2xx says about a write (product.md §4, *Accepted*). @param jobId of a submission; null if it shows none */
export function readWriteMeaning(response: ApiResponse, jobId?: string | null): WriteMeaning {
  if (response.status === 207 || findStatedFailure(parseJsonBody(response)) !== null) return "unrecognized";
  if (typeof jobId === "string") return "accepted";
  const { kind } = classifyBody(response);
  if (jobId === undefined) return FOREIGN_KINDS.includes(kind) ? "unrecognized" : "accepted";
  const isCreated = response.status === 201 || response.status === 202;
  return isCreated && kind === "object" ? "accepted_without_id" : "unrecognized";
}

/** Whether a document says that what it responds to failed. */
export const deniesSuccess = ({ success, ok }: Readonly<Record<string, unknown>>): boolean =>
  success === false || ok === false;

/** The reason of a failure that a response with a status of success states; null if it states none. */
export function findStatedFailure(document: unknown): unknown {
  if (!isRecord(document)) return null;
  const { error, errors, message } = document;
  if (deniesSuccess(document)) return error ?? errors ?? message ?? document;
  if (isRecord(error) ? Object.keys(error).length > 0 : error) return error;
  // Beside an id, they may be those of rows.
  const hasId = hasOneOf(document, ID_NAMES);
  return Array.isArray(errors) && errors.length > 0 && !hasId ? errors : null;
}
