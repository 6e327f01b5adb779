import { type ClientRequest, request } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { type HeaderList, pairRawHeaders } from "../../../src/domain/webhooks/headers.ts";
import { declaredLength } from "./logged-request.ts";
import type { RecordedRequest, RequestLog } from "./request-log.ts";

/** Milliseconds of wall time without a byte: a fault may hold the answer back for ever. */
const IDLE_TIMEOUT_MS = 60_000;

/** Milliseconds of wall time until the sandbox has seen what its caller has: that the connection is gone. */
const LOG_TIMEOUT_MS = 1_000;

/** A connection has its own. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(["connection", "keep-alive", "expect"]);

interface ReplayOptions {
  readonly requestLog: RequestLog;
  /** The sandbox's own base URL. */
  readonly url: string;
  /** In place of the Idempotency-Key that it was sent with; null leaves that. */
  readonly key: string | null;
  readonly closeSignal: AbortSignal;
}

/**
 * Sends a request to the sandbox again, as it came; resolves to what the journal has of it when it has ended.
 *
 * @throws ClaimsError `request_not_kept`, `replay_failed`
 */
export async function replayRequest(
  exchange: RecordedRequest,
  { requestLog, url, key, closeSignal }: ReplayOptions,
): Promise<RecordedRequest> {
  const body = requireWholeBody(exchange);
  const { hostname, port, host } = new URL(url);
  const sent = request({
    ...{ host: hostname.replace(/^\[(.*)\]$/, "$1"), port, agent: false, signal: closeSignal },
    ...{ method: exchange.method, path: exchange.target },
    headers: buildHeaders(exchange, { host, key, hasBody: body !== undefined }).flat(),
  });
  sent.setTimeout(IDLE_TIMEOUT_MS, () => sent.destroy());
  sent.once("response", (answer) => answer.on("error", () => undefined).resume());
  const again = waitForRecord(sent, exchange.number, requestLog);
  sent.end(body);
  const found = await again;
  closeSignal.throwIfAborted();
  if (found) return found;
  throw new ClaimsError("rejected", "replay_failed", `request ${exchange.number} could not be sent again`, {
    hint: "`claims sandbox status` tells whether the sandbox answers",
  });
}

/** However it ends for its sender, the journal has it: also with an answer that a fault cuts short. Null: it never came. */
function waitForRecord(
  sent: ClientRequest,
  of: number,
  requestLog: RequestLog,
): Promise<RecordedRequest | null> {
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
    const unfollow = requestLog.follow((each) => {
      if (each.replayOf === of && each.port === port) settle(each);
    });
    sent.once("socket", (socket) =>
      socket.once("connect", () => {
        port = socket.localPort ?? 0;
        unmark = requestLog.markReplay(port, of);
      }),
    );
    sent.on("error", () => undefined);
    sent.once("close", () => {
      timer = setTimeout(() => settle(null), port === undefined ? 0 : LOG_TIMEOUT_MS);
    });
  });
}

/** What it was sent with, where all of that is there. */
function requireWholeBody({ result: ended, headers, number }: RecordedRequest): Uint8Array | undefined {
  const body = ended?.requestBody ?? null;
  const announced = declaredLength(pairRawHeaders(headers));
  if (ended && !body?.size && announced === 0) return undefined;
  if (body?.isWhole && (announced === null || body.size === announced)) return body.bytes();
  const kept = body?.size
    ? `${body.capturedBytes} of its ${announced ?? body.size} bytes are kept`
    : "its body was not read";
  const why = ended ? kept : "it is still running";
  throw new ClaimsError("rejected", "request_not_kept", `request ${number} cannot be sent again: ${why}`, {
    hint: "send it once more with the program that sent it first",
  });
}

function buildHeaders(
  { method, headers }: RecordedRequest,
  { host, key, hasBody }: { readonly host: string; readonly key: string | null; readonly hasBody: boolean },
): HeaderList {
  const isOld = (name: string) =>
    CONNECTION_HEADERS.has(name) || (key !== null && name === "idempotency-key");
  const kept = pairRawHeaders(headers).filter(([name]) => !isOld(name.toLowerCase()));
  const has = (wanted: string) => kept.some(([name]) => name.toLowerCase() === wanted);
  const isBare = !hasBody && method !== "GET" && method !== "HEAD";
  return [
    ...kept,
    ...(has("host") ? [] : [["Host", host] as const]),
    ...(isBare && !has("content-length") ? [["Content-Length", "0"] as const] : []),
    ...(key === null ? [] : [["Idempotency-Key", key] as const]),
  ];
}
