import { Buffer } from "node:buffer";
import { isRecord, valueAt } from "../../../../domain/json.ts";
import { SIGNATURE_HEADER } from "../../../../domain/webhooks/headers.ts";
import { type Delivery, type Header, parsedJson, unusable } from "./delivery.ts";

/** One request of a HAR (http://www.softwareishard.com/blog/har-12-spec/#request). */
interface Entry {
  /** Counted from 1. */
  readonly number: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly headers: readonly Header[];
}

/** The delivery in a HAR: the entry of that number, or the only one that is signed, or the only one. */
export function parseHar(bytes: Buffer, shownAs: string, number: number | undefined): Delivery {
  const entries = entriesOf(parsedJson(bytes, shownAs), shownAs);
  const { request, headers } = chosen(entries, shownAs, number);
  const text = valueAt(request, "postData.text");
  // Some tools keep bytes that are no text so, as they do for answers (HAR 1.2, content.encoding).
  const isBase64 = valueAt(request, "postData.encoding") === "base64";
  const body = typeof text === "string" ? Buffer.from(text, isBase64 ? "base64" : "utf8") : Buffer.alloc(0);
  return { headers, body };
}

function entriesOf(har: unknown, shownAs: string): readonly Entry[] {
  const found = valueAt(har, "log.entries");
  if (!Array.isArray(found)) throw unusable(`${shownAs} has no log.entries`, "save it as a HAR with content");
  const entries = found.flatMap((entry: unknown, index): Entry[] => {
    const request = valueAt(entry, "request");
    return isRecord(request) ? [{ number: index + 1, request, headers: headersOf(request.headers) }] : [];
  });
  if (entries.length > 0) return entries;
  throw unusable(
    `${shownAs} has no entry with a request`,
    "record the delivery, then save it as a HAR with content",
  );
}

const headersOf = (list: unknown): readonly Header[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown): Header[] => {
    const name = valueAt(each, "name");
    return typeof name === "string" ? [[name, String(valueAt(each, "value") ?? "")]] : [];
  });

const isSigned = ({ headers }: Entry): boolean =>
  headers.some(([name]) => name.toLowerCase() === SIGNATURE_HEADER.toLowerCase());

/** Without its query, which may hold a secret. */
const addressOf = ({ request }: Entry): string => String(request.url).replace(/[?#].*$/s, "");

function chosen(entries: readonly Entry[], shownAs: string, number: number | undefined): Entry {
  const signed = entries.filter(isSigned);
  const candidates =
    number === undefined
      ? signed.length > 0
        ? signed
        : entries
      : entries.filter((each) => each.number === number);
  const [entry, ...others] = candidates;
  if (entry && others.length === 0) return entry;
  const listed = (entry ? candidates : entries).map(
    (each) => `${each.number} ${String(each.request.method)} ${addressOf(each)}`,
  );
  throw unusable(
    entry
      ? `${shownAs} has ${candidates.length} requests that may be meant`
      : `${shownAs} has no entry ${number}`,
    `choose one with --entry: ${listed.slice(0, 5).join("; ")}${listed.length > 5 ? "; …" : ""}`,
  );
}
