import { ClaimsError } from "../../../src/domain/errors.ts";
import type { LoggedRequest, RequestFilter, SandboxRequests } from "../../api/requests.ts";
import type { Engine } from "../engine.ts";
import { parseFilter } from "./filter.ts";
import { toHar } from "./har.ts";
import { toLoggedRequest } from "./logged-request.ts";
import { replayRequest } from "./replay.ts";
import type { RecordedRequest } from "./request-log.ts";

/** What whoever runs the sandbox reads of the requests to it; the handle and the control API are both this. */
export function createRequestsApi(engine: Engine): SandboxRequests {
  const { idle, closeSignal, requestLog, random, store, url } = engine;
  const shown = (exchange: RecordedRequest): LoggedRequest => toLoggedRequest(exchange, store);
  const list = async (filter: RequestFilter = {}) => {
    requireRequestLog(engine);
    const { test, limit } = parseFilter(filter);
    return idle.whenSettled(() => takeLast(requestLog.entries().filter(test), limit).map(shown));
  };
  return {
    list,
    get: async (id) => {
      requireRequestLog(engine);
      return idle.whenSettled(() => shown(requireRequest(engine, id)));
    },
    async replay(id, { newKey = false } = {}) {
      requireRequestLog(engine);
      const first = requireRequest(engine, id);
      const key = newKey ? random.uuid("replay_key") : null;
      const again = await replayRequest(first, { requestLog, url, key, closeSignal });
      return idle.whenSettled(() => ({ entry: shown(again), same: haveSameResponse(first, again) }));
    },
    har: async (filter) => toHar(await list(filter), url),
    async clear() {
      requestLog.clear();
    },
  };
}

export const takeLast = <T>(items: readonly T[], limit: number): readonly T[] =>
  items.slice(Math.max(0, items.length - limit));

export function requireRequestLog({ requestLog }: Engine): void {
  if (requestLog.size > 0) return;
  throw new ClaimsError("rejected", "journal_off", "this sandbox keeps no requestLog of requests", {
    hint: "start it without --journal 0",
  });
}

/** The number may be text: over the control API it is a part of the path. */
function requireRequest({ requestLog }: Engine, id: number | string): RecordedRequest {
  const exchange = requestLog.find(/^\d{1,15}$/.test(String(id)) ? Number(id) : id) ?? requestLog.find(id);
  if (exchange) return exchange;
  const [oldest] = requestLog.entries();
  const range = oldest ? `those kept begin with ${oldest.number}` : "none is kept";
  throw new ClaimsError("not_found", "request_not_found", `there is no request ${id}`, {
    hint: range,
  });
}

function haveSameResponse(first: RecordedRequest, again: RecordedRequest): boolean | null {
  const [before, after] = [first, again].map(comparableResponse);
  return before === null ? null : before === after;
}

/** A problem has the id of its request. */
function comparableResponse({ result: ended, requestId }: RecordedRequest): string | null {
  if (ended?.status == null) return null;
  const { body, status } = ended;
  const text = typeof body === "string" ? body : (body?.bytes().toString("latin1") ?? "");
  const size = typeof body === "string" ? "" : (body?.size ?? 0);
  return `${status} ${size} ${text.replaceAll(requestId, "")}`;
}
