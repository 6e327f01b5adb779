import { Buffer } from "node:buffer";
import type { LoggedProblem } from "../../api/requests.ts";
import type { Caller } from "../../store/credentials.ts";
import type { Clock } from "../scheduler/clock.ts";
import { CapturedBody } from "./captured-body.ts";

/** Of all requests together. */
const MAX_CAPTURED_BYTES_TOTAL = 32 * 1024 * 1024;

/** What the HTTP layer notes about a request. */
interface RequestNotes {
  readonly operation: string | null;
  readonly route: string | null;
  readonly problem: LoggedProblem | null;
  readonly fault: string | null;
  readonly varied: readonly string[];
  /** Ids of events. */
  readonly events: readonly string[];
}

export interface IncomingRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** Alternating names and values, as Node lists them. */
  readonly headers: readonly string[];
  readonly notes: RequestNotes;
  /** The caller's port. */
  readonly port: number | undefined;
}

export interface RequestResult {
  readonly caller: Caller | null;
  readonly requestBody: CapturedBody | null;
  readonly status: number | null;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: CapturedBody | string | null;
  /** Whether the whole response was sent. */
  readonly isSent: boolean;
}

/** A request as received, with its credential: reading the log formats and redacts it. */
export interface RecordedRequest extends IncomingRequest {
  readonly number: number;
  /** Its place among all that happens in the sandbox. */
  readonly ordinal: number;
  /** Sandbox time. */
  readonly at: number;
  /** Wall time from the start of the log to its arrival. */
  readonly elapsedMs: number;
  readonly replayOf: number | null;
  /** Null while the request is running. */
  result: RequestResult | null;
  /** Milliseconds of wall time: the start of a running request, the duration of an ended one. */
  stopwatch: number;
  /** Captured bytes of both bodies; null while the request is running, and after its bodies were evicted. */
  bodyBytes: number | null;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly nextOrdinal: () => number;
  /** Requests to keep; 0 turns the log off. */
  readonly size: number;
  /** Milliseconds of wall time since any start. */
  readonly stopwatch: () => number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/** A ring of the latest requests to the service. */
export function createRequestLog({ clock, nextOrdinal, size, stopwatch }: RequestLogOptions) {
  const startedAt = stopwatch();
  let ring: RecordedRequest[] = [];
  let lastNumber = 0;
  /** Requests before the latest `clear()`. */
  let clearedCount = 0;
  let revision = 0;
  let bodyBytes = 0;
  /** Requests before this one have no captured body. */
  let firstWithBody = 1;
  const followers = new Set<(request: RecordedRequest) => void>();
  /** Replayed requests by the port that sends them: a header would change what is sent. */
  const replays = new Map<number, number>();

  const countBodies = (request: RecordedRequest, { requestBody, body }: RequestResult): void => {
    const bytes = typeof body === "string" ? body.length : (body?.capturedBytes ?? 0);
    request.bodyBytes = (requestBody?.capturedBytes ?? 0) + bytes;
    bodyBytes += request.bodyBytes;
    if (request.number < firstWithBody) firstWithBody = request.number;
    if (bodyBytes > MAX_CAPTURED_BYTES_TOTAL) evictBodies();
  };

  const evictBodies = (): void => {
    let number = Math.max(firstWithBody, lastNumber - size + 1);
    for (; bodyBytes > MAX_CAPTURED_BYTES_TOTAL && number <= lastNumber; number += 1) {
      const oldest = ring[(number - 1) % size];
      if (!oldest?.result || oldest.bodyBytes === null) continue;
      bodyBytes -= oldest.bodyBytes;
      oldest.bodyBytes = null;
      const { requestBody, body } = oldest.result;
      oldest.result = { ...oldest.result, requestBody: evictBody(requestBody), body: evictBody(body) };
    }
    firstWithBody = number;
  };

  /** The logged requests, the newest last. */
  const entries = (): RecordedRequest[] => {
    if (lastNumber < size) return [...ring];
    const first = lastNumber % size;
    return [...ring.slice(first), ...ring.slice(0, first)];
  };

  return {
    size,
    entries,

    /** Requests since the start, also those that were cleared. */
    get received(): number {
      return clearedCount + lastNumber;
    },

    /** Whether a logged request came after the first `count` ones since the start. */
    isAfter: ({ number }: RecordedRequest, count: number): boolean => clearedCount + number > count,

    /** Grows with every change. */
    get revision(): number {
      return revision;
    },

    /** Returns null if the log is off. */
    begin(incoming: IncomingRequest): RecordedRequest | null {
      if (size === 0) return null;
      revision += 1;
      lastNumber += 1;
      const arrivedAt = stopwatch();
      // Name by name: a spread makes an object that costs a hundred times as much.
      const request: RecordedRequest = {
        requestId: incoming.requestId,
        method: incoming.method,
        target: incoming.target,
        httpVersion: incoming.httpVersion,
        headers: incoming.headers,
        notes: incoming.notes,
        port: incoming.port,
        number: lastNumber,
        ordinal: nextOrdinal(),
        at: clock.now(),
        elapsedMs: arrivedAt - startedAt,
        replayOf: replays.size > 0 ? (replays.get(incoming.port ?? 0) ?? null) : null,
        result: null,
        stopwatch: arrivedAt,
        bodyBytes: null,
      };
      const slot = (lastNumber - 1) % size;
      bodyBytes -= ring[slot]?.bodyBytes ?? 0;
      ring[slot] = request;
      return request;
    },

    stopwatch,

    /** @param endedAt of the stopwatch */
    end(request: RecordedRequest, result: RequestResult, endedAt = stopwatch()): void {
      revision += 1;
      request.result = result;
      request.stopwatch = endedAt - request.stopwatch;
      if (ring[(request.number - 1) % size] === request) countBodies(request, result);
      if (followers.size > 0) for (const follower of followers) follower(request);
    },

    find: (numberOrRequestId: number | string) =>
      entries().findLast(
        ({ number, requestId }) => numberOrRequestId === number || numberOrRequestId === requestId,
      ),

    clear(): void {
      revision += 1;
      ring = [];
      clearedCount += lastNumber;
      lastNumber = 0;
      bodyBytes = 0;
      firstWithBody = 1;
    },

    /** Calls `follower` with each request that ends. Returns a function that stops it. */
    follow(follower: (request: RecordedRequest) => void): () => void {
      followers.add(follower);
      return () => followers.delete(follower);
    },

    /** Marks requests from this port as replays of request `of`. Returns a function that removes the mark. */
    markReplay(port: number, of: number): () => void {
      replays.set(port, of);
      return () => replays.delete(port);
    },
  };
}

const evictBody = (body: CapturedBody | string | null): CapturedBody | null =>
  body === null
    ? null
    : CapturedBody.sizeOnly(typeof body === "string" ? Buffer.byteLength(body) : body.size);
