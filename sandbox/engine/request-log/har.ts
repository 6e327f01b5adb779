import { STATUS_CODES } from "node:http";
import { describeRequestNotes } from "../../../src/domain/activity/describe-request.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { Har, HarEntry, LoggedBody, LoggedRequest } from "../../api/requests.ts";
import { firstHeaderValue } from "./logged-body.ts";

/** The format's value for an unknown size. */
const UNKNOWN_SIZE = -1;

export const toHar = (requests: readonly LoggedRequest[], url: string): Har => ({
  log: {
    version: "1.2",
    creator: { name: "claims sandbox", version: "1" },
    entries: requests.map((request) => toHarEntry(request, url)),
  },
});

function toHarEntry(request: LoggedRequest, url: string): HarEntry {
  const time = request.durationMs ?? 0;
  const notes = describeRequestNotes(request).join("; ");
  return {
    startedDateTime: request.at,
    time,
    request: toHarRequest(request, url),
    response: toHarResponse(request),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(notes !== "" && { comment: notes }),
    _number: request.number,
    _operation: request.operation,
    _outcome: request.outcome,
    _fault: request.fault,
  };
}

function toHarRequest(request: LoggedRequest, url: string): HarEntry["request"] {
  const { requestBody: body, requestHeaders: headers, target } = request;
  const [, query = ""] = /\?(.*)$/s.exec(target) ?? [];
  return {
    method: request.method,
    url: url + target,
    ...commonFields(request, headers, body),
    queryString: toNameValues([...new URLSearchParams(query)]),
    ...(body && {
      postData: {
        mimeType: mimeType(headers),
        text: body.text ?? body.base64 ?? "",
        params: toNameValues(body.fields ?? []),
        ...bodyComment(body, body.base64 === null ? [] : ["base64"]),
      },
    }),
  };
}

function toHarResponse(request: LoggedRequest): HarEntry["response"] {
  const { responseBody: body, responseHeaders: headers, status } = request;
  const text = body?.text ?? body?.base64 ?? null;
  return {
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? "",
    ...commonFields(request, headers, body),
    content: {
      size: body?.size ?? 0,
      mimeType: mimeType(headers),
      ...(text !== null && { text }),
      ...(body?.base64 != null && { encoding: "base64" as const }),
      ...(body && bodyComment(body)),
    },
    redirectURL: headers.find(([name]) => name.toLowerCase() === "location")?.[1] ?? "",
  };
}

const commonFields = ({ httpVersion }: LoggedRequest, headers: HeaderList, body: LoggedBody | null) => ({
  httpVersion: `HTTP/${httpVersion}`,
  cookies: [],
  headers: toNameValues(headers),
  headersSize: UNKNOWN_SIZE,
  bodySize: body ? (body.size ?? UNKNOWN_SIZE) : 0,
});

const toNameValues = (pairs: HeaderList) => pairs.map(([name, value]) => ({ name, value }));

const mimeType = (headers: HeaderList): string =>
  firstHeaderValue(headers, "content-type") || "application/octet-stream";

function bodyComment({ truncated, size }: LoggedBody, notes: readonly string[] = []): { comment?: string } {
  const all = [...notes, ...(truncated ? [`truncated, of ${size ?? "unknown"} bytes`] : [])];
  return all.length > 0 ? { comment: all.join(", ") } : {};
}
