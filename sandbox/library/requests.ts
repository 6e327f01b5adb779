import { notFoundError } from "../../src/domain/errors.ts";
import type { LoggedRequest, RequestFilter, SandboxRequests } from "../api/requests.ts";
import type { Engine } from "../engine/engine.ts";
import { parseFilter } from "../engine/request-log/filter.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import type { RecordedRequest } from "../engine/request-log/request-log.ts";

export function createRequestsApi(engine: Engine): SandboxRequests {
  const { quiescence, requestLog, store } = engine;
  const render = (request: RecordedRequest): LoggedRequest => toLoggedRequest(request, store);
  const list = async (filter: RequestFilter = {}) => {
    const { matches, limit } = parseFilter(filter);
    return quiescence.run(() => requestLog.entries().filter(matches).slice(-limit).map(render));
  };
  return {
    list,
    get: (id) => quiescence.run(() => render(findRequest(engine, id))),
    async clear() {
      requestLog.clear();
    },
  };
}

/** @param id a number, also as text, or a request id */
export function findRequest(engine: Engine, id: number | string): RecordedRequest {
  const { requestLog } = engine;
  const request = requestLog.find(/^\d{1,15}$/.test(String(id)) ? Number(id) : id) ?? requestLog.find(id);
  if (request) return request;
  const [oldest] = requestLog.entries();
  throw notFoundError("request_not_found", `no request ${id}`, {
    hint: oldest ? `the log starts at ${oldest.number}` : "the log is empty",
  });
}
