import { STATUS_CODES } from "node:http";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { Har, HarEntry, LoggedBody, LoggedRequest } from "../../api/requests.ts";
import { firstHeaderValue } from "./logged-body.ts";

/** The format's word for a size that nobody knows. */
const UNKNOWN_SIZE = -1;

/** Requests as HTTP Archive 1.2. */
export const toHar = (entries: readonly LoggedRequest[], url: string): Har => ({
  log: {
    version: "1.2",
    creator: { name: "claims sandbox", version: "1" },
    entries: entries.map((entry) => toHarEntry(entry, url)),
  },
});

function toHarEntry(entry: LoggedRequest, url: string): HarEntry {
  const time = entry.durationMs ?? 0;
  const notes = entryComment(entry);
  return {
    startedDateTime: entry.at,
    time,
    request: toHarRequest(entry, url),
    response: toHarResponse(entry),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(notes !== "" && { comment: notes }),
    _number: entry.number,
    _operation: entry.operation,
    _outcome: entry.outcome,
    _fault: entry.fault,
  };
}

function toHarRequest(entry: LoggedRequest, url: string): HarEntry["request"] {
  const { requestBody: body, requestHeaders, target } = entry;
  const [, query = ""] = /\?(.*)$/s.exec(target) ?? [];
  return {
    method: entry.method,
    url: url + target,
    httpVersion: `HTTP/${entry.httpVersion}`,
    cookies: [],
    headers: toNameValues(requestHeaders),
    queryString: toNameValues([...new URLSearchParams(query)]),
    ...(body && {
      postData: {
        mimeType: contentType(requestHeaders),
        text: body.text ?? body.base64 ?? "",
        params: toNameValues(body.fields ?? []),
        ...bodyComment(body, body.base64 === null ? [] : ["base64"]),
      },
    }),
    headersSize: UNKNOWN_SIZE,
    bodySize: body ? (body.size ?? UNKNOWN_SIZE) : 0,
  };
}

function toHarResponse(entry: LoggedRequest): HarEntry["response"] {
  const { responseBody: body, responseHeaders, status } = entry;
  const text = body?.text ?? body?.base64 ?? null;
  return {
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? "",
    httpVersion: `HTTP/${entry.httpVersion}`,
    cookies: [],
    headers: toNameValues(responseHeaders),
    content: {
      size: body?.size ?? 0,
      mimeType: contentType(responseHeaders),
      ...(text !== null && { text }),
      ...(body?.base64 != null && { encoding: "base64" as const }),
      ...(body && bodyComment(body, [])),
    },
    redirectURL: responseHeaders.find(([name]) => name.toLowerCase() === "location")?.[1] ?? "",
    headersSize: UNKNOWN_SIZE,
    bodySize: body ? (body.size ?? UNKNOWN_SIZE) : 0,
  };
}

const toNameValues = (pairs: HeaderList) => pairs.map(([name, value]) => ({ name, value }));

const contentType = (headers: HeaderList): string =>
  firstHeaderValue(headers, "content-type") || "application/octet-stream";

function bodyComment({ truncated, size }: LoggedBody, more: readonly string[]): { comment?: string } {
  const words = [...more, ...(truncated ? [`less than all of its ${size ?? "unknown"} bytes`] : [])];
  return words.length > 0 ? { comment: words.join(", ") } : {};
}

const entryComment = ({ outcome, fault, replayOf, idempotentReplay, varied }: LoggedRequest): string =>
  [
    ...(outcome === "answered" ? [] : [outcome]),
    ...(fault === null ? [] : [`fault: ${fault}`]),
    ...(replayOf === null ? [] : [`repeats ${replayOf}`]),
    ...(idempotentReplay ? ["the stored answer"] : []),
    ...varied,
  ].join("; ");
