import { STATUS_CODES } from "node:http";
import type { JournalBody, JournalEntry } from "../../../../../sandbox/index.ts";
import type { Block, Cell } from "../../../output/output.ts";
import { notesOn } from "./columns.ts";

/** Characters of a body that a person is shown. */
const LONGEST_TEXT = 2_000;

type Headers = JournalEntry["requestHeaders"];

/** A request and its answer as they went over the wire, and what else is known of them. */
export function exchangeBlocks(entry: JournalEntry): readonly Block[] {
  return [
    { kind: "card", title: `Request ${entry.number}`, rows: facts(entry) },
    {
      kind: "paragraph",
      title: "Asked",
      lines: [
        `${entry.method} ${entry.target} HTTP/${entry.httpVersion}`,
        ...message(entry.requestHeaders, entry.requestBody),
      ],
    },
    { kind: "paragraph", title: OUTCOMES[entry.outcome].title, lines: answer(entry) },
    ...webhooks(entry),
  ];
}

/** What became of a request. An answer that never arrived is shown all the same. */
const OUTCOMES: Readonly<
  Record<JournalEntry["outcome"], { readonly words: string; readonly title: string }>
> = {
  answered: { words: "answered", title: "Answered" },
  lost: { words: "lost: a fault kept the answer from arriving whole", title: "Answered, had it arrived" },
  aborted: {
    words: "aborted: the caller was gone before the answer was out",
    title: "Answered, had it arrived",
  },
  running: { words: "running", title: "Answered" },
};

function facts(entry: JournalEntry): [string, Cell][] {
  const { caller, operation, basis, durationMs, outcome } = entry;
  const told = notesOn(entry);
  return [
    ["request id", entry.requestId],
    ["at", entry.at],
    ["status", statusOf(entry)],
    ["took", durationMs === null ? "still running" : `${durationMs} ms`],
    ["operation", operation === null ? "none: the service has no such route" : `${operation} (${basis})`],
    ["caller", caller ? `partner ${caller.partner}, ${caller.environment}` : "not known by a credential"],
    ["outcome", OUTCOMES[outcome].words],
    ...(told.length === 0 ? [] : [["note", told.join("; ")] satisfies [string, Cell]]),
  ];
}

const statusOf = ({ status }: Pick<JournalEntry, "status">): string | null =>
  status === null ? null : `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

function answer({ status, httpVersion, responseHeaders, responseBody, outcome }: JournalEntry): string[] {
  if (status === null) return [outcome === "running" ? "not yet" : "nothing: the connection ended before"];
  return [`HTTP/${httpVersion} ${statusOf({ status })}`, ...message(responseHeaders, responseBody)];
}

function message(headers: Headers, body: JournalBody | null): string[] {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return body ? [...lines, "", ...contentOf(body)] : lines;
}

function contentOf({ size, text, base64, truncated, fields }: JournalBody): string[] {
  const bytes = size === null ? "a body of unknown size" : `${size} bytes`;
  if (text === null)
    return [`[${bytes}${base64 === null ? ", not kept" : ", no UTF-8: --json has them as base64"}]`];
  const isCut = text.length > LONGEST_TEXT;
  return [
    ...text.slice(0, LONGEST_TEXT).split(/\r?\n/),
    ...(isCut || truncated
      ? ["", `[the beginning of ${bytes}${isCut ? "; --json has more of them" : ""}]`]
      : []),
    ...((isCut || truncated) && fields ? fields.map(([name, value]) => `[field ${name}: ${value}]`) : []),
  ];
}

function webhooks({ webhooks: deliveries }: JournalEntry): readonly Block[] {
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
