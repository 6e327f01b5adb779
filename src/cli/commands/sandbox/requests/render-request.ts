import { STATUS_CODES } from "node:http";
import type { LoggedBody, LoggedRequest } from "../../../../../sandbox/index.ts";
import { describeRequestNotes } from "../../../../contract/activity/describe-event.ts";
import { type Block, toCard, toTable } from "../../../output/output.ts";

const MAX_BODY_CHARACTERS = 2_000;

/** Three lines of 80 columns. */
const MAX_BRIEF_CHARACTERS = 240;

/** @param isBrief without headers, and with the beginning of each body */
export function renderRequest(request: LoggedRequest, isBrief: boolean): readonly Block[] {
  const { caller, operation, basis, durationMs, outcome, status, webhooks } = request;
  const { requestHeaders, requestBody, responseHeaders, responseBody, ...record } = request;
  const notes = describeRequestNotes({ ...request, outcome: "answered" });
  const isWhole = outcome === "answered" || outcome === "running";
  const card = toCard(
    "request",
    {
      "request id": request.requestId,
      at: request.at,
      status: status === null ? null : statusLine(status),
      took: durationMs === null ? "still running" : `${durationMs} ms`,
      operation: operation === null ? "none: the service has no such route" : `${operation} (${basis})`,
      caller: caller ? `partner ${caller.partner}, ${caller.environment}` : "unknown: no valid credential",
      outcome: OUTCOME_TEXTS[outcome],
      ...(notes.length > 0 && { note: notes.join("; ") }),
    },
    { title: `Request ${request.number}`, record },
  );
  return [
    card,
    {
      kind: "paragraph",
      title: "Request",
      lines: [
        `${request.method} ${request.target} HTTP/${request.httpVersion}`,
        ...(isBrief ? briefLines(requestBody) : messageLines(requestHeaders, requestBody)),
      ],
    },
    {
      kind: "paragraph",
      title: isWhole ? "Response" : "Response, which did not arrive",
      lines: responseLines(request, isBrief),
    },
    ...(webhooks.length === 0
      ? []
      : [
          toTable({
            section: "webhooks",
            title: "Webhooks",
            columns: [
              { name: "id", title: "delivery" },
              { name: "eventType", title: "event" },
              { name: "status" },
              { name: "attemptCount", title: "attempts", align: "right" },
            ],
            items: webhooks,
          }),
        ]),
  ];
}

const OUTCOME_TEXTS: Readonly<Record<LoggedRequest["outcome"], string>> = {
  answered: "answered",
  lost: "lost: a fault kept the response from arriving whole",
  aborted: "aborted: the caller disconnected before the response ended",
  running: "running",
};

const statusLine = (status: number): string => `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

function responseLines(request: LoggedRequest, isBrief: boolean): string[] {
  const { status, httpVersion, responseHeaders, responseBody, outcome } = request;
  if (status === null) return [outcome === "running" ? "not yet" : "none: the connection ended before it"];
  const message = isBrief ? briefLines(responseBody) : messageLines(responseHeaders, responseBody);
  return [`HTTP/${httpVersion} ${statusLine(status)}`, ...message];
}

/** The fields of a form say what it is; its file does not. */
function briefLines(body: LoggedBody | null): string[] {
  if (!body?.text) return body ? bodyLines(body) : [];
  if (body.fields) return body.fields.map(([name, value]) => `[field ${name}: ${value}]`);
  const text = body.text.slice(0, MAX_BRIEF_CHARACTERS).replace(/\s+/g, " ");
  return [body.text.length > text.length ? `${text.slice(0, -1)}…` : text];
}

const messageLines = (headers: LoggedRequest["requestHeaders"], body: LoggedBody | null): string[] => [
  ...headers.map(([name, value]) => `${name}: ${value}`),
  ...(body ? ["", ...bodyLines(body)] : []),
];

function bodyLines({ size, text, base64, truncated, fields }: LoggedBody): string[] {
  const bytes = size === null ? "a body of unknown size" : `${size} bytes`;
  if (text === null)
    return [`[${bytes}${base64 === null ? ", not kept" : ", not UTF-8: --json has them as base64"}]`];
  const isCut = text.length > MAX_BODY_CHARACTERS;
  const lines = text.slice(0, MAX_BODY_CHARACTERS).split(/\r?\n/);
  if (!isCut && !truncated) return lines;
  return [
    ...lines,
    "",
    `[the beginning of ${bytes}${isCut ? "; --json has more of them" : ""}]`,
    ...(fields ?? []).map(([name, value]) => `[field ${name}: ${value}]`),
  ];
}
