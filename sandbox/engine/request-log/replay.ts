import { Buffer } from "node:buffer";
import { type ClientRequest, request } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import { rejectedError } from "../../../src/domain/errors.ts";
import { type HeaderList, pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import { declaredLength } from "./logged-request.ts";
import type { RecordedRequest, RequestLog } from "./request-log.ts";

/** Wall time without a byte: a fault may hold the response back forever. */
const IDLE_TIMEOUT_MS = 60_000;

/** Wall time until the sandbox notices that the connection has closed. */
const LOG_TIMEOUT_MS = 1_000;

const CONNECTION_HEADERS: ReadonlySet<string> = new Set(["connection", "keep-alive", "expect"]);

export interface EditedRequest {
  /** Path and query. */
  readonly target: string;
  /** Null: without a body, or with the logged one. */
  readonly body: string | null;
}

interface ReplayOptions {
  readonly requestLog: RequestLog;
  readonly url: string;
  /** Replaces the Idempotency-Key; null keeps it. */
  readonly key: string | null;
  readonly edited?: EditedRequest;
  readonly closeSignal: AbortSignal;
}

/** Sends a logged request again, and resolves to its new entry when it has ended. @throws ClaimsError `request_not_kept` */
export async function replayRequest(
  original: RecordedRequest,
  { requestLog, url, key, edited, closeSignal }: ReplayOptions,
): Promise<RecordedRequest> {
  const body = edited?.body == null ? requireWholeBody(original) : Buffer.from(edited.body);
  const { hostname, port, host } = new URL(url);
  const sent = request({
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    agent: false,
    signal: closeSignal,
    method: original.method,
    path: edited?.target ?? original.target,
    headers: buildHeaders(original, host, key, body, edited !== undefined).flat(),
  });
  sent.setTimeout(IDLE_TIMEOUT_MS, () => sent.destroy());
  sent.once("response", (response) => response.on("error", () => undefined).resume());
  const record = waitForRecord(sent, original.number, requestLog);
  sent.end(body);
  const found = await record;
  closeSignal.throwIfAborted();
  if (found) return found;
  throw rejectedError("request_not_kept", `request ${original.number} could not be sent again`, {
    hint: "check whether the sandbox still runs",
  });
}

/** The log has the request however it ends for its sender. Resolves to null if it never arrived. */
function waitForRecord(sent: ClientRequest, of: number, log: RequestLog): Promise<RecordedRequest | null> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let port: number | undefined;
    let unmark = () => {};
    const settle = (found: RecordedRequest | null) => {
      clearTimeout(timer);
      unmark();
      unfollow();
      resolve(found);
    };
    const unfollow = log.follow((each) => {
      if (each.replayOf === of && each.port === port) settle(each);
    });
    sent.once("socket", (socket) =>
      socket.once("connect", () => {
        port = socket.localPort ?? 0;
        unmark = log.markReplay(port, of);
      }),
    );
    sent.on("error", () => undefined);
    sent.once("close", () => {
      timer = setTimeout(() => settle(null), port === undefined ? 0 : LOG_TIMEOUT_MS);
    });
  });
}

function requireWholeBody({ result, headers, number }: RecordedRequest): Uint8Array | undefined {
  const body = result?.requestBody ?? null;
  const declared = declaredLength(pairRawHeaders(headers));
  if (result && !body?.size && declared === 0) return undefined;
  if (body?.isWhole && (declared === null || body.size === declared)) return body.bytes();
  const kept = body?.size
    ? `${body.capturedBytes} of its ${declared ?? body.size} bytes are kept`
    : "its body was not read";
  const reason = result ? kept : "it is still running";
  throw rejectedError("request_not_kept", `request ${number} cannot be sent again: ${reason}`, {
    hint: "send it again with the program that sent it first",
  });
}

function buildHeaders(
  { method, headers }: RecordedRequest,
  host: string,
  key: string | null,
  body: Uint8Array | undefined,
  isEdited: boolean,
): HeaderList {
  const kept = pairRawHeaders(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    if (isEdited && lower === "content-length") return false;
    return !CONNECTION_HEADERS.has(lower) && !(key !== null && lower === "idempotency-key");
  });
  const has = (wanted: string) => kept.some(([name]) => name.toLowerCase() === wanted);
  const needsLength = !body && method !== "GET" && method !== "HEAD" && !has("content-length");
  return [
    ...kept,
    ...(has("host") ? [] : [["Host", host] as const]),
    ...(needsLength ? [["Content-Length", "0"] as const] : []),
    ...(isEdited && body && !has("transfer-encoding")
      ? [["Content-Length", String(body.length)] as const]
      : []),
    ...(key === null ? [] : [["Idempotency-Key", key] as const]),
  ];
}
