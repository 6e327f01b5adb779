import type { RequestFilter } from "../../api/requests.ts";
import type { Engine } from "../engine.ts";
import { parseFilter } from "./filter.ts";
import { toLoggedRequest } from "./logged-request.ts";
import type { RecordedRequest } from "./request-log.ts";
import { requireRequestLog, takeLast } from "./requests-api.ts";

/** Requests that wait for a reader who is slower than they come. */
const MAX_BUFFERED_REQUESTS = 1_000;

/**
 * Requests as they end, each as a line of JSON; of those before, as many as the filter's limit says, and none without.
 * A reader who is too slow is told how many were left out.
 *
 * @param signal ends it: the reader has gone, as it does when the sandbox closes
 * @throws ClaimsError `journal_off`, `validation_failed`; at once, not with the first line
 */
export function followRequests(
  engine: Engine,
  filter: RequestFilter,
  signal: AbortSignal,
): AsyncIterable<string> {
  requireRequestLog(engine);
  const { requestLog, store } = engine;
  const { test, limit } = parseFilter(filter);
  const before = requestLog.entries().filter((exchange) => exchange.result && test(exchange));
  const waiting: RecordedRequest[] = filter.limit === undefined ? [] : [...takeLast(before, limit)];
  let dropped = 0;
  let wake = () => {};
  const unfollow = requestLog.follow((exchange) => {
    if (!test(exchange)) return;
    if (waiting.length < MAX_BUFFERED_REQUESTS) waiting.push(exchange);
    else dropped += 1;
    wake();
  });
  // Also where nobody has read a line yet.
  const end = () => {
    unfollow();
    wake();
  };
  signal.addEventListener("abort", end, { once: true });
  async function* lines(): AsyncGenerator<string> {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next) yield `${JSON.stringify(toLoggedRequest(next, store))}\n`;
      else if (dropped > 0) {
        const line = { dropped };
        dropped = 0;
        yield `${JSON.stringify(line)}\n`;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return lines();
}
