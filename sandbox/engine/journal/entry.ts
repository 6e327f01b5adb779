import { ALIAS_HEADERS } from "../../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { type HeaderList, pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import type { LoggedBody, LoggedRequest, RequestOutcome } from "../../journal.ts";
import { listDeliveriesOfEvent } from "../../store/deliveries.ts";
import type { Store } from "../../store/open.ts";
import { formatTime } from "../clock.ts";
import { deliveryRecord } from "../webhooks/records.ts";
import type { BodyHead } from "./body-head.ts";
import type { Exchange } from "./journal.ts";
import { mainValue, shownBody, unreadBody } from "./kept-body.ts";
import { redactHeader, redactTarget, redactText } from "./redaction.ts";

const BASIS: ReadonlyMap<string, LoggedRequest["basis"]> = new Map(
  ALL_OPERATIONS.map(({ id, label }) => [id, label.basis]),
);

/** A request as it may be shown, and what its events have led to since. */
export function entryOf(exchange: Exchange, store: Store): LoggedRequest {
  const { notes, ended } = exchange;
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
    basis: BASIS.get(notes.operation ?? "") ?? null,
    alias: aliasOf(answered),
    caller: ended?.caller ?? null,
    requestHeaders: shown(asked),
    requestBody: requestBody(ended?.requestBody ?? null, asked),
    status: ended?.status ?? null,
    responseHeaders: shown(answered),
    responseBody: said === null ? null : shownBody(said, answered),
    outcome: outcomeOf(exchange),
    fault: notes.fault,
    varied: [...notes.varied],
    idempotentReplay: mainValue(answered, "idempotent-replayed") === "true",
    webhooks: notes.events.flatMap((id) => listDeliveriesOfEvent(store, id)).map(deliveryRecord),
    replayOf: exchange.replayOf,
  };
}

const shown = (headers: HeaderList): HeaderList =>
  headers.map(([name, value]) => [redactText(name), redactHeader(name, value)] as const);

function aliasOf(answered: HeaderList): LoggedRequest["alias"] {
  const value = (name: string) => answered.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  const path = value(ALIAS_HEADERS.alias);
  const canonicalPath = value(ALIAS_HEADERS.canonicalPath);
  if (path === undefined || canonicalPath === undefined) return null;
  return { path: redactText(path), canonicalPath: redactText(canonicalPath) };
}

function outcomeOf({ ended, notes }: Exchange): RequestOutcome {
  if (!ended) return "running";
  if (ended.isSent) return "answered";
  return notes.fault === null ? "aborted" : "lost";
}

function requestBody(heard: BodyHead | null, headers: HeaderList): LoggedBody | null {
  const announced = announcedSize(headers);
  if (heard && (heard.size > 0 || announced === 0)) {
    const body = shownBody(heard, headers);
    // Cut off by its sender, or refused on its way.
    return heard.size > 0 ? { ...body, truncated: body.truncated || heard.size < (announced ?? 0) } : null;
  }
  return announced === 0 ? null : unreadBody(announced);
}

/** Bytes of the body that the headers announce; 0 for none, null for one whose size they do not tell. */
export function announcedSize(headers: HeaderList): number | null {
  if (mainValue(headers, "transfer-encoding") !== "") return null;
  return Number(mainValue(headers, "content-length") || 0);
}
