import { notFoundError, rejectedError, usageError } from "../../src/domain/errors.ts";
import { quoteValue } from "../../src/domain/json.ts";
import type { LoggedRequest, RequestFilter, SandboxRequests } from "../api/requests.ts";
import type { Engine } from "./engine.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { parseFilter } from "./request-log/filter.ts";
import { toLoggedRequest } from "./request-log/logged-request.ts";
import { type EditedRequest, replayRequest } from "./request-log/replay.ts";
import type { RecordedRequest } from "./request-log/request-log.ts";

/** Sends a logged request again with another target or body, and and a write with a new key. Its credential stays. */
export async function sendEditedRequest(
  { closeSignal, random, requestLog, url }: Engine,
  number: number,
  edited: EditedRequest,
): Promise<number> {
  const original = requireRequest({ requestLog }, number);
  const key = original.method === "GET" || original.method === "HEAD" ? null : random.uuid("replay_key");
  const sent = await replayRequest(original, { requestLog, url, key, edited, closeSignal });
  return sent.number;
}

export function createRequestsApi(engine: Engine): SandboxRequests {
  const { idle, closeSignal, requestLog, random, store, url } = engine;
  const render = (request: RecordedRequest): LoggedRequest => toLoggedRequest(request, store);
  const list = async (filter: RequestFilter = {}) => {
    requireRequestLog(engine);
    const { test, limit } = parseFilter(filter);
    return idle.whenSettled(() => takeLast(requestLog.entries().filter(test), limit).map(render));
  };
  return {
    list,
    async get(id) {
      requireRequestLog(engine);
      return idle.whenSettled(() => render(requireRequest(engine, id)));
    },
    async replay(id, options = {}) {
      refuseUnknownOptions(options, "replay()", ["newKey"]);
      const { newKey = false } = options;
      if (typeof newKey !== "boolean")
        throw usageError("validation_failed", `newKey cannot be ${quoteValue(newKey)}`, {
          hint: "give true or false",
        });
      requireRequestLog(engine);
      const original = requireRequest(engine, id);
      const key = newKey ? random.uuid("replay_key") : null;
      const replayed = await replayRequest(original, { requestLog, url, key, closeSignal });
      return idle.whenSettled(() => ({
        request: render(replayed),
        same: haveSameResponse(original, replayed),
      }));
    },
    async clear() {
      requestLog.clear();
    },
  };
}

const takeLast = <T>(items: readonly T[], limit: number): readonly T[] =>
  items.slice(Math.max(0, items.length - limit));

export function requireRequestLog({ requestLog }: Engine): void {
  if (requestLog.size > 0) return;
  throw rejectedError("request_log_off", "this sandbox keeps no request log", {
    hint: "start it with a request log: requestLogSize is 0",
  });
}

/** @param id a number, also as text, or a request id */
function requireRequest({ requestLog }: Pick<Engine, "requestLog">, id: number | string): RecordedRequest {
  const request = requestLog.find(/^\d{1,15}$/.test(String(id)) ? Number(id) : id) ?? requestLog.find(id);
  if (request) return request;
  const [oldest] = requestLog.entries();
  throw notFoundError("request_not_found", `no request ${id}`, {
    hint: oldest ? `the log starts at ${oldest.number}` : "the log is empty",
  });
}

function haveSameResponse(original: RecordedRequest, replayed: RecordedRequest): boolean | null {
  const [before, after] = [original, replayed].map(comparableResponse);
  return before === null ? null : before === after;
}

/** Leaves out the request id, which a problem contains. */
function comparableResponse({ result, requestId }: RecordedRequest): string | null {
  if (result?.status == null) return null;
  const { body, status } = result;
  const text = typeof body === "string" ? body : (body?.bytes().toString("latin1") ?? "");
  const size = typeof body === "string" ? "" : (body?.size ?? 0);
  return `${status} ${size} ${text.replaceAll(requestId, "")}`;
}
