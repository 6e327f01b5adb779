import { STATUS_CODES } from "node:http";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { Har, HarEntry, LoggedBody, LoggedRequest } from "../../journal.ts";
import { mainValue } from "./kept-body.ts";

/** The format's word for a size that nobody knows. */
const UNKNOWN = -1;

/** Requests as HTTP Archive 1.2. */
export const harOf = (entries: readonly LoggedRequest[], url: string): Har => ({
  log: {
    version: "1.2",
    creator: { name: "claims sandbox", version: "1" },
    entries: entries.map((entry) => harEntry(entry, url)),
  },
});

function harEntry(entry: LoggedRequest, url: string): HarEntry {
  const time = entry.durationMs ?? 0;
  const notes = notesOf(entry);
  return {
    startedDateTime: entry.at,
    time,
    request: requestOf(entry, url),
    response: responseOf(entry),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(notes !== "" && { comment: notes }),
    _number: entry.number,
    _operation: entry.operation,
    _outcome: entry.outcome,
    _fault: entry.fault,
  };
}

function requestOf(entry: LoggedRequest, url: string): HarEntry["request"] {
  const { requestBody: body, requestHeaders, target } = entry;
  const [, query = ""] = /\?(.*)$/s.exec(target) ?? [];
  return {
    method: entry.method,
    url: url + target,
    httpVersion: `HTTP/${entry.httpVersion}`,
    cookies: [],
    headers: named(requestHeaders),
    queryString: named([...new URLSearchParams(query)]),
    ...(body && {
      postData: {
        mimeType: contentType(requestHeaders),
        text: body.text ?? body.base64 ?? "",
        params: named(body.fields ?? []),
        ...commentOn(body, body.base64 === null ? [] : ["base64"]),
      },
    }),
    headersSize: UNKNOWN,
    bodySize: body ? (body.size ?? UNKNOWN) : 0,
  };
}

function responseOf(entry: LoggedRequest): HarEntry["response"] {
  const { responseBody: body, responseHeaders, status } = entry;
  const text = body?.text ?? body?.base64 ?? null;
  return {
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? "",
    httpVersion: `HTTP/${entry.httpVersion}`,
    cookies: [],
    headers: named(responseHeaders),
    content: {
      size: body?.size ?? 0,
      mimeType: contentType(responseHeaders),
      ...(text !== null && { text }),
      ...(body?.base64 != null && { encoding: "base64" as const }),
      ...(body && commentOn(body, [])),
    },
    redirectURL: responseHeaders.find(([name]) => name.toLowerCase() === "location")?.[1] ?? "",
    headersSize: UNKNOWN,
    bodySize: body ? (body.size ?? UNKNOWN) : 0,
  };
}

const named = (pairs: HeaderList) => pairs.map(([name, value]) => ({ name, value }));

const contentType = (headers: HeaderList): string =>
  mainValue(headers, "content-type") || "application/octet-stream";

function commentOn({ truncated, size }: LoggedBody, more: readonly string[]): { comment?: string } {
  const words = [...more, ...(truncated ? [`less than all of its ${size ?? "unknown"} bytes`] : [])];
  return words.length > 0 ? { comment: words.join(", ") } : {};
}

const notesOf = ({ outcome, fault, replayOf, idempotentReplay, varied }: LoggedRequest): string =>
  [
    ...(outcome === "answered" ? [] : [outcome]),
    ...(fault === null ? [] : [`fault: ${fault}`]),
    ...(replayOf === null ? [] : [`repeats ${replayOf}`]),
    ...(idempotentReplay ? ["the stored answer"] : []),
    ...varied,
  ].join("; ");
