import { ALIAS_HEADERS } from "../../../src/contract/aliases.ts";
import { methodLabelOf } from "../../../src/contract/operations/operation.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations/operations.ts";
import { type HeaderList, headerValues, pairRawHeaders } from "../../../src/domain/http-headers.ts";
import type { LoggedBody, LoggedProblem, LoggedRequest, RequestOutcome } from "../../api/requests.ts";
import { listDeliveriesOfEvent } from "../../store/deliveries.ts";
import type { Store } from "../../store/store.ts";
import { formatTime } from "../scheduler/clock.ts";
import { toDelivery } from "../webhooks/records.ts";
import type { CapturedBody } from "./captured-body.ts";
import { findCredentialPlaces } from "./credential-places.ts";
import { firstHeaderValue, toLoggedBody } from "./logged-body.ts";
import { redactHeader, redactTarget, redactText } from "./redaction.ts";
import type { RecordedRequest } from "./request-log.ts";

const BASIS_BY_OPERATION: ReadonlyMap<string, LoggedRequest["basis"]> = new Map(
  ALL_OPERATIONS.map((operation) => [operation.id, methodLabelOf(operation).basis]),
);

/** Redacts a request for a reader of the log. */
export function toLoggedRequest(request: RecordedRequest, store: Store): LoggedRequest {
  const { trace, result } = request;
  const requestHeaders = pairRawHeaders(request.headers);
  const responseHeaders = pairRawHeaders(result?.headers ?? []);
  return {
    number: request.number,
    requestId: redactText(request.requestId),
    at: formatTime(request.at),
    arrivalOffsetMs: toHundredths(request.arrivalOffsetMs),
    durationMs: request.durationMs === null ? null : toHundredths(request.durationMs),
    method: request.method,
    target: redactTarget(request.target),
    httpVersion: request.httpVersion,
    route: trace.route,
    operation: trace.operation,
    basis: BASIS_BY_OPERATION.get(trace.operation ?? "") ?? null,
    alias: readAlias(responseHeaders),
    caller: result?.caller ?? null,
    credentials: findCredentialPlaces(request.target, requestHeaders, result?.requestBody ?? null),
    requestHeaders: redactHeaders(requestHeaders),
    requestBody: toRequestBody(result?.requestBody ?? null, requestHeaders),
    status: result?.status ?? null,
    responseHeaders: redactHeaders(responseHeaders),
    responseBody: result?.body == null ? null : toLoggedBody(result.body, responseHeaders),
    problem: trace.problem && redactProblem(trace.problem),
    outcome: requestOutcome(request),
    fault: trace.fault,
    varied: [...trace.varied],
    idempotentReplay: firstHeaderValue(responseHeaders, "idempotent-replayed") === "true",
    webhooks: trace.events.flatMap((id) => listDeliveriesOfEvent(store, id)).map(toDelivery),
  };
}

const toHundredths = (value: number): number => Math.round(value * 100) / 100;

/** A parameter may have a credential as its name. */
const redactProblem = ({ code, detail, errors }: LoggedProblem): LoggedProblem => ({
  code,
  detail: redactText(detail),
  errors: errors.map(({ location, code }) => ({ location: location && redactText(location), code })),
});

const redactHeaders = (headers: HeaderList): HeaderList =>
  headers.map(([name, value]) => [redactText(name), redactHeader(name, value)] as const);

function readAlias(headers: HeaderList): LoggedRequest["alias"] {
  const [path] = headerValues(headers, ALIAS_HEADERS.alias);
  const [canonicalPath] = headerValues(headers, ALIAS_HEADERS.canonicalPath);
  if (path === undefined || canonicalPath === undefined) return null;
  return { path: redactText(path), canonicalPath: redactText(canonicalPath) };
}

function requestOutcome({ result, trace }: RecordedRequest): RequestOutcome {
  if (!result) return "running";
  if (result.isSent) return "answered";
  return trace.fault === null ? "aborted" : "lost";
}

function toRequestBody(captured: CapturedBody | null, headers: HeaderList): LoggedBody | null {
  const declared = declaredLength(headers);
  if (captured && captured.size > 0) {
    const body = toLoggedBody(captured, headers);
    // The sender ended early, or the sandbox refused the request.
    return { ...body, truncated: body.truncated || captured.size < (declared ?? 0) };
  }
  if (declared === 0) return null;
  // The request was refused before its body was read.
  return { size: declared, text: null, base64: null, truncated: true, fields: null };
}

/** Returns the bytes that the headers declare: 0 for no body, null for an unknown size. */
function declaredLength(headers: HeaderList): number | null {
  if (firstHeaderValue(headers, "transfer-encoding") !== "") return null;
  return Number(firstHeaderValue(headers, "content-length") || 0);
}
