import type { RequestFilter } from "../../journal.ts";
import type { Engine } from "../engine.ts";
import { latest, requireJournal } from "./by-hand.ts";
import { entryOf } from "./entry.ts";
import { readFilter } from "./filter.ts";
import type { Exchange } from "./journal.ts";

/** Requests that wait for a reader who is slower than they come. */
const MOST_WAITING = 1_000;

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
  requireJournal(engine);
  const { journal, store } = engine;
  const { test, limit } = readFilter(filter);
  const before = journal.kept().filter((exchange) => exchange.ended && test(exchange));
  const waiting: Exchange[] = filter.limit === undefined ? [] : [...latest(before, limit)];
  let dropped = 0;
  let wake = () => {};
  const unfollow = journal.follow((exchange) => {
    if (!test(exchange)) return;
    if (waiting.length < MOST_WAITING) waiting.push(exchange);
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
      if (next) yield `${JSON.stringify(entryOf(next, store))}\n`;
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
