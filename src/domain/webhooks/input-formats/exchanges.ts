import type { Buffer } from "node:buffer";

/** A request of a file, and what follows it before the next request. */
export interface Exchange {
  /** Up to the next request. */
  readonly bytes: Buffer;
  /** Up to the end of its body, where another message follows. */
  readonly request: Buffer;
  /** Of the response that follows, if one does. */
  readonly status: string | null;
}

interface Message {
  readonly start: number;
  readonly bodyEnd: number;
  /** Of a response; null for a request. */
  readonly status: string | null;
}

const START_LINE =
  "(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \\S+(?: HTTP\\/\\d(?:\\.\\d)?)?\\r?\\n(?=[\\w-]+:)|HTTP\\/\\d(?:\\.\\d)? [1-5]\\d\\d\\b)";
/** A message that was saved without its request line. */
const SIGNED_HEADERS = "(?:[\\w-]+:[^\\n]*\\n){0,50}?[Xx]-[Ss](?:ervice|ERVICE)-[Ss](?:ignature|IGNATURE):";
/** What programs write between two messages: empty lines and a ruler. */
const BETWEEN = "[\\r\\n \\t]{0,16}(?:[-=#*_~]{3,}[^\\n]{0,200}[\\r\\n \\t]{1,16})?";
const AFTER_BODY = new RegExp(`${BETWEEN}(?=${START_LINE}|${SIGNED_HEADERS}|$)`, "y");
const NEXT_START = new RegExp(`(?<=\\n)${START_LINE}|(?<=\\n\\r?\\n)${SIGNED_HEADERS}`, "g");
/** Without Content-Length, a ruler with other words can be of the body; `###` is that of a file of requests. */
const BETWEEN_AT_END = /\r?\n[\r\n \t]{0,16}(?:(?:[-=*_~]{3,}|#{3,}[^\n]{0,200})[\r\n \t]{1,16})?$/;
const MAX_BETWEEN = 240;
const HEAD_END = /\r?\n\r?\n/g;

const STATUS = /^HTTP\/\d(?:\.\d)? ([1-5]\d\d)\b/;

/** The requests of a file that begins with one, as clients, proxies and loggers write them one after the other. */
export function splitExchanges(bytes: Buffer): readonly Exchange[] {
  const messages = listMessages(bytes.toString("latin1"));
  const exchanges: { readonly start: number; readonly bodyEnd: number; status: string | null }[] = [];
  for (const { start, bodyEnd, status } of messages) {
    const last = exchanges.at(-1);
    if (last && status !== null) last.status ??= status;
    else exchanges.push({ start, bodyEnd, status: null });
  }
  return exchanges.map(({ start, bodyEnd, status }, index) => ({
    bytes: bytes.subarray(start, exchanges[index + 1]?.start),
    request: bytes.subarray(start, messages.length > 1 ? bodyEnd : undefined),
    status,
  }));
}

function listMessages(text: string): readonly Message[] {
  const messages: Message[] = [];
  let start = text.search(/[^\r\n]/);
  while (start >= 0) {
    const bodyStart = indexAfter(HEAD_END, text, start) ?? text.length;
    const head = text.slice(start, bodyStart);
    const { bodyEnd, next } = findBodyEnd(text, bodyStart, readLength(head));
    messages.push({ start, bodyEnd, status: STATUS.exec(head)?.[1] ?? null });
    start = next;
  }
  return messages;
}

/** Where Content-Length says, if another message or nothing follows there; otherwise before the next line that begins a message. */
function findBodyEnd(text: string, bodyStart: number, length: number | null) {
  const counted = bodyStart + (length ?? 0);
  const afterCounted = length === null ? null : indexAfter(AFTER_BODY, text, counted);
  if (afterCounted !== null)
    return { bodyEnd: counted, next: afterCounted < text.length ? afterCounted : -1 };
  NEXT_START.lastIndex = bodyStart;
  const { index: next = -1 } = NEXT_START.exec(text) ?? {};
  if (next < 0) return { bodyEnd: text.length, next };
  const end = text.slice(Math.max(bodyStart, next - MAX_BETWEEN), next);
  return { bodyEnd: next - (BETWEEN_AT_END.exec(end)?.[0].length ?? 0), next };
}

const readLength = (head: string): number | null => {
  const [, digits] = /^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(head.replaceAll("\r", "")) ?? [];
  return digits === undefined ? null : Number(digits);
};

/** The index behind the match from an index on; null without one. */
function indexAfter(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return from <= text.length && pattern.test(text) ? pattern.lastIndex : null;
}
