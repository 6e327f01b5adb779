import { Buffer } from "node:buffer";
import { isRecord, valueAt } from "../../../../domain/json.ts";
import { SIGNATURE_HEADER } from "../../../../domain/webhooks/headers.ts";
import { type HeaderPair, inputError, parseJson, type ReceivedDelivery } from "./delivery.ts";

/** One request of a HAR (http://www.softwareishard.com/blog/har-12-spec/#request). */
interface HarRequest {
  /** Counted from 1. */
  readonly number: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly headers: readonly HeaderPair[];
}

/** The delivery in a HAR: the entry of that number, or the only one that is signed, or the only one. */
export function parseHar(bytes: Buffer, shownAs: string, number: number | undefined): ReceivedDelivery {
  const entries = readRequests(parseJson(bytes, shownAs), shownAs);
  const { request, headers } = chooseRequest(entries, shownAs, number);
  const text = valueAt(request, "postData.text");
  // Some tools keep bytes that are no text so, as they do for answers (HAR 1.2, content.encoding).
  const isBase64 = valueAt(request, "postData.encoding") === "base64";
  const body = typeof text === "string" ? Buffer.from(text, isBase64 ? "base64" : "utf8") : Buffer.alloc(0);
  return { headers, body };
}

function readRequests(har: unknown, shownAs: string): readonly HarRequest[] {
  const found = valueAt(har, "log.entries");
  if (!Array.isArray(found))
    throw inputError(`${shownAs} has no log.entries`, "save it as a HAR with content");
  const entries = found.flatMap((entry: unknown, index): HarRequest[] => {
    const request = valueAt(entry, "request");
    return isRecord(request) ? [{ number: index + 1, request, headers: readHeaders(request.headers) }] : [];
  });
  if (entries.length > 0) return entries;
  throw inputError(
    `${shownAs} has no entry with a request`,
    "record the delivery, then save it as a HAR with content",
  );
}

const readHeaders = (list: unknown): readonly HeaderPair[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown): HeaderPair[] => {
    const name = valueAt(each, "name");
    return typeof name === "string" ? [[name, String(valueAt(each, "value") ?? "")]] : [];
  });

const isSigned = ({ headers }: HarRequest): boolean =>
  headers.some(([name]) => name.toLowerCase() === SIGNATURE_HEADER.toLowerCase());

/** Without its query, which may hold a secret. */
const urlWithoutQuery = ({ request }: HarRequest): string => String(request.url).replace(/[?#].*$/s, "");

function chooseRequest(
  entries: readonly HarRequest[],
  shownAs: string,
  number: number | undefined,
): HarRequest {
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
    (each) => `${each.number} ${String(each.request.method)} ${urlWithoutQuery(each)}`,
  );
  throw inputError(
    entry
      ? `${shownAs} has ${candidates.length} requests that may be meant`
      : `${shownAs} has no entry ${number}`,
    `choose one with --entry: ${listed.slice(0, 5).join("; ")}${listed.length > 5 ? "; …" : ""}`,
  );
}
