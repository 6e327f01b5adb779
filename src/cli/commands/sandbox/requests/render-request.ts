import { STATUS_CODES } from "node:http";
import type { LoggedBody, LoggedRequest } from "../../../../../sandbox/index.ts";
import { describeRequestNotes } from "../../../../domain/request-notes.ts";
import type { Block, Cell } from "../../../output/output.ts";

/** Characters of a body that a person is shown. */
const MAX_BODY_CHARACTERS = 2_000;

type Headers = LoggedRequest["requestHeaders"];

/** A request and its answer as they went over the wire, and what else is known of them. */
export function renderRequest(entry: LoggedRequest): readonly Block[] {
  return [
    { kind: "card", title: `Request ${entry.number}`, rows: factRows(entry) },
    {
      kind: "paragraph",
      title: "Asked",
      lines: [
        `${entry.method} ${entry.target} HTTP/${entry.httpVersion}`,
        ...messageLines(entry.requestHeaders, entry.requestBody),
      ],
    },
    { kind: "paragraph", title: OUTCOME_TEXTS[entry.outcome].title, lines: responseLines(entry) },
    ...webhookTable(entry),
  ];
}

/** What became of a request. An answer that never arrived is shown all the same. */
const OUTCOME_TEXTS: Readonly<
  Record<LoggedRequest["outcome"], { readonly words: string; readonly title: string }>
> = {
  answered: { words: "answered", title: "Answered" },
  lost: { words: "lost: a fault kept the answer from arriving whole", title: "Answered, had it arrived" },
  aborted: {
    words: "aborted: the caller was gone before the answer was out",
    title: "Answered, had it arrived",
  },
  running: { words: "running", title: "Answered" },
};

function factRows(entry: LoggedRequest): [string, Cell][] {
  const { caller, operation, basis, durationMs, outcome } = entry;
  const notes = describeRequestNotes({ ...entry, outcome: "answered" });
  return [
    ["request id", entry.requestId],
    ["at", entry.at],
    ["status", statusLine(entry)],
    ["took", durationMs === null ? "still running" : `${durationMs} ms`],
    ["operation", operation === null ? "none: the service has no such route" : `${operation} (${basis})`],
    ["caller", caller ? `partner ${caller.partner}, ${caller.environment}` : "not known by a credential"],
    ["outcome", OUTCOME_TEXTS[outcome].words],
    ...(notes.length === 0 ? [] : [["note", notes.join("; ")] satisfies [string, Cell]]),
  ];
}

const statusLine = ({ status }: Pick<LoggedRequest, "status">): string | null =>
  status === null ? null : `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

function responseLines({
  status,
  httpVersion,
  responseHeaders,
  responseBody,
  outcome,
}: LoggedRequest): string[] {
  if (status === null) return [outcome === "running" ? "not yet" : "nothing: the connection ended before"];
  return [`HTTP/${httpVersion} ${statusLine({ status })}`, ...messageLines(responseHeaders, responseBody)];
}

function messageLines(headers: Headers, body: LoggedBody | null): string[] {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return body ? [...lines, "", ...bodyLines(body)] : lines;
}

function bodyLines({ size, text, base64, truncated, fields }: LoggedBody): string[] {
  const bytes = size === null ? "a body of unknown size" : `${size} bytes`;
  if (text === null)
    return [`[${bytes}${base64 === null ? ", not kept" : ", no UTF-8: --json has them as base64"}]`];
  const isCut = text.length > MAX_BODY_CHARACTERS;
  return [
    ...text.slice(0, MAX_BODY_CHARACTERS).split(/\r?\n/),
    ...(isCut || truncated
      ? ["", `[the beginning of ${bytes}${isCut ? "; --json has more of them" : ""}]`]
      : []),
    ...((isCut || truncated) && fields ? fields.map(([name, value]) => `[field ${name}: ${value}]`) : []),
  ];
}

function webhookTable({ webhooks: deliveries }: LoggedRequest): readonly Block[] {
  if (deliveries.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Webhooks",
      columns: [
        { name: "delivery" },
        { name: "event" },
        { name: "status" },
        { name: "attempts", align: "right" },
      ],
      rows: deliveries.map(({ id, eventType, status, attemptCount }) => [
        id,
        eventType,
        status,
        attemptCount,
      ]),
    },
  ];
}
