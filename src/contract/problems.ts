import type { Static } from "typebox";
import * as Type from "typebox";
import { assumed } from "./labels.ts";
import { labelledObject } from "./schemas.ts";

/**
 * The errors of HTTP responses: code → status and title (RFC 9457). Those of the command line are in src/domain/error-codes.ts.
 * All of it is ours: interface §7 shows neither status codes nor bodies.
 */
export const PROBLEMS = {
  malformed_request: { status: 400, title: "The request cannot be read" },
  credential_missing: { status: 401, title: "No credential" },
  credential_invalid: { status: 401, title: "The credential is not valid" },
  api_key_header_refused: { status: 401, title: "X-API-Key is not accepted here" },
  credentials_differ: { status: 401, title: "Two different credentials" },
  wrong_environment: { status: 403, title: "The credential is for another environment" },
  cursor_invalid: { status: 400, title: "The cursor is not one of this list" },
  job_not_found: { status: 404, title: "No such job" },
  client_not_found: { status: 404, title: "No such client" },
  claim_not_found: { status: 404, title: "No such claim" },
  organization_not_found: { status: 404, title: "No such partner organization" },
  scan_not_found: { status: 404, title: "No such portfolio scan" },
  endpoint_not_found: { status: 404, title: "No such endpoint" },
  route_not_found: { status: 404, title: "No such route" },
  method_not_allowed: { status: 405, title: "Wrong method" },
  not_acceptable: { status: 406, title: "No such representation" },
  report_not_ready: { status: 409, title: "The job has not ended" },
  job_failed: { status: 409, title: "The job failed" },
  job_not_resumable: { status: 409, title: "The job cannot be resumed" },
  job_not_completed: { status: 409, title: "The job is not completed" },
  job_already_claimed: { status: 409, title: "The job has a claim already" },
  claim_in_litigation: { status: 409, title: "The claim is in litigation" },
  claim_not_open: { status: 409, title: "The claim is not open" },
  endpoint_not_active: { status: 409, title: "The endpoint is not active" },
  scan_not_ready: { status: 409, title: "The scan has not ended" },
  scan_failed: { status: 409, title: "The scan failed" },
  request_in_progress: { status: 409, title: "The same request is still running" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "Wrong content type" },
  validation_failed: { status: 422, title: "The request is not valid" },
  too_many_endpoints: { status: 422, title: "Too many active endpoints" },
  no_matching_endpoint: { status: 422, title: "No endpoint gets this event" },
  nothing_to_litigate: { status: 422, title: "Nothing of the claim can be litigated" },
  file_empty: { status: 422, title: "The file is empty" },
  idempotency_key_reused: { status: 422, title: "The idempotency key belongs to another request" },
  // HTTP refuses these before a request reaches an operation.
  host_not_allowed: { status: 421, title: "Not a name of this sandbox" },
  request_timeout: { status: 408, title: "The request took too long" },
  expectation_failed: { status: 417, title: "The expectation cannot be met" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  rate_limited: { status: 429, title: "Too many requests" },
  overloaded: { status: 503, title: "Too many open files" },
  insufficient_storage: { status: 507, title: "The upload cannot be stored" },
  internal_error: { status: 500, title: "The sandbox failed" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export const WRITE_PROBLEMS: readonly ProblemCode[] = [
  "malformed_request",
  "request_in_progress",
  "idempotency_key_reused",
  "body_too_large",
  "unsupported_media_type",
];

/** What HTTP refuses on every path, before a request reaches its operation. */
export const HTTP_PROBLEMS: readonly ProblemCode[] = [
  "malformed_request",
  "host_not_allowed",
  "request_timeout",
  "body_too_large",
  "expectation_failed",
  "headers_too_large",
  "overloaded",
];

export const COMMON_PROBLEMS: readonly ProblemCode[] = [
  "credential_missing",
  "credential_invalid",
  "api_key_header_refused",
  "credentials_differ",
  "validation_failed",
  "rate_limited",
  "overloaded",
  "internal_error",
];

const fieldError = labelledObject(assumed("errors"), {
  pointer: Type.Optional(Type.String({ description: "JSON Pointer into the body (RFC 6901)" })),
  parameter: Type.Optional(Type.String({ description: "Form field, query or header name" })),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  column: Type.Optional(Type.String()),
  code: Type.String(),
  detail: Type.String(),
});

/** `application/problem+json` (RFC 9457) with our `code`, `requestId` and `errors`. */
export const problem = labelledObject(assumed("errors"), {
  type: Type.String({ description: "`about:blank`: the code says which problem it is" }),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String(),
  code: Type.Enum(Object.keys(PROBLEMS) as ProblemCode[]),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(fieldError)),
});

export type FieldError = Static<typeof fieldError>;
