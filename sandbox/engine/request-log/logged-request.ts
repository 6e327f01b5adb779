import { ALIAS_HEADERS } from "../../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { type HeaderList, pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import type { LoggedBody, LoggedRequest, RequestOutcome } from "../../api/requests.ts";
import { listDeliveriesOfEvent } from "../../store/deliveries.ts";
import type { Store } from "../../store/open.ts";
import { formatTime } from "../scheduler/clock.ts";
import { toDelivery } from "../webhooks/records.ts";
import type { CapturedBody } from "./captured-body.ts";
import { firstHeaderValue, toLoggedBody, unreadBody } from "./logged-body.ts";
import { redactHeader, redactTarget, redactText } from "./redaction.ts";
import type { RecordedRequest } from "./request-log.ts";

const BASIS_BY_OPERATION: ReadonlyMap<string, LoggedRequest["basis"]> = new Map(
  ALL_OPERATIONS.map(({ id, label }) => [id, label.basis]),
);

/** A request as it may be shown, and what its events have led to since. */
export function toLoggedRequest(exchange: RecordedRequest, store: Store): LoggedRequest {
  const { notes, result: ended } = exchange;
  const asked = pairRawHeaders(exchange.headers);
  const answered = pairRawHeaders(ended?.headers ?? []);
  const said = ended?.body ?? null;
  return {
    number: exchange.number,
    requestId: redactText(exchange.requestId),
    at: formatTime(exchange.at),
    durationMs: ended && Math.round(exchange.stopwatch * 100) / 100,
    method: exchange.method,
    target: redactTarget(exchange.target),
    httpVersion: exchange.httpVersion,
    route: notes.route,
    operation: notes.operation,
    basis: BASIS_BY_OPERATION.get(notes.operation ?? "") ?? null,
    alias: readAlias(answered),
    caller: ended?.caller ?? null,
    requestHeaders: redactHeaders(asked),
    requestBody: toRequestBody(ended?.requestBody ?? null, asked),
    status: ended?.status ?? null,
    responseHeaders: redactHeaders(answered),
    responseBody: said === null ? null : toLoggedBody(said, answered),
    outcome: requestOutcome(exchange),
    fault: notes.fault,
    varied: [...notes.varied],
    idempotentReplay: firstHeaderValue(answered, "idempotent-replayed") === "true",
    webhooks: notes.events.flatMap((id) => listDeliveriesOfEvent(store, id)).map(toDelivery),
    replayOf: exchange.replayOf,
  };
}

const redactHeaders = (headers: HeaderList): HeaderList =>
  headers.map(([name, value]) => [redactText(name), redactHeader(name, value)] as const);

function readAlias(answered: HeaderList): LoggedRequest["alias"] {
  const value = (name: string) => answered.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  const path = value(ALIAS_HEADERS.alias);
  const canonicalPath = value(ALIAS_HEADERS.canonicalPath);
  if (path === undefined || canonicalPath === undefined) return null;
  return { path: redactText(path), canonicalPath: redactText(canonicalPath) };
}

function requestOutcome({ result: ended, notes }: RecordedRequest): RequestOutcome {
  if (!ended) return "running";
  if (ended.isSent) return "answered";
  return notes.fault === null ? "aborted" : "lost";
}

function toRequestBody(heard: CapturedBody | null, headers: HeaderList): LoggedBody | null {
  const announced = declaredLength(headers);
  if (heard && (heard.size > 0 || announced === 0)) {
    const body = toLoggedBody(heard, headers);
    // Cut off by its sender, or refused on its way.
    return heard.size > 0 ? { ...body, truncated: body.truncated || heard.size < (announced ?? 0) } : null;
  }
  return announced === 0 ? null : unreadBody(announced);
}

/** Bytes of the body that the headers announce; 0 for none, null for one whose size they do not tell. */
export function declaredLength(headers: HeaderList): number | null {
  if (firstHeaderValue(headers, "transfer-encoding") !== "") return null;
  return Number(firstHeaderValue(headers, "content-length") || 0);
}
