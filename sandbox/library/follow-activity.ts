import type { ActivityEvent, DroppedEvents } from "../../src/contract/activity/events.ts";
import { redactUrl } from "../../src/domain/net.ts";
import type { RequestFilter } from "../api/requests.ts";
import { checkFields, SIGNAL } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import type { Activity } from "../engine/recent-activity.ts";
import { parseFilter } from "../engine/request-log/filter.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { redactText } from "../engine/request-log/redaction.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import type { Store } from "../store/store.ts";

/**
 * What happens from this call on.
 *
 * @param filter of requests; with one, there are no other events
 */
export function followActivity(
  { closeSignal, recentActivity, store }: Engine,
  signal: AbortSignal,
  filter: RequestFilter = {},
): AsyncGenerator<ActivityEvent | DroppedEvents> {
  checkFields({ signal }, { signal: SIGNAL }, { what: "activity()", noun: "option" });
  const { matches } = parseFilter(filter);
  const isFiltered = Object.keys(filter).length > 0;
  const end = AbortSignal.any([signal, closeSignal]);
  const queue = createBoundedQueue<Activity>(end);
  // At once, because a generator runs nothing before its first read, and what happens until then must not be missed.
  const unsubscribe = recentActivity.subscribe((item) => {
    if (item.kind === "request" ? matches(item) : !isFiltered) queue.push(item);
  });
  // A generator that nobody reads never comes to its finally.
  end.addEventListener("abort", unsubscribe, { once: true });
  async function* readEvents() {
    try {
      for await (const item of queue.read()) {
        yield "dropped" in item ? item : toEvent(item, store);
      }
    } finally {
      // A reader can stop before the signal.
      unsubscribe();
    }
  }
  return readEvents();
}

export function toEvent(item: Activity, store: Store): ActivityEvent {
  if (item.kind === "request") return { event: "request", ...toLoggedRequest(item, store) };
  if (item.kind === "job") {
    const { kind: event, timelinePosition: _, ...change } = item;
    return { event, ...change, at: formatTime(item.at) };
  }
  const { kind: event, timelinePosition: _, at, url, nextAttemptAt, ...attempt } = item;
  return {
    event,
    at: formatTime(at),
    url: redactText(redactUrl(url)),
    nextAttemptAt: nextAttemptAt === null ? null : formatTime(nextAttemptAt),
    ...attempt,
  };
}

/** Items to keep for a reader that is slower than they arrive. */
const MAX_QUEUED_ITEMS = 1_000;

/** A queue that drops items, and counts them, when its reader does not keep up: what happens must not wait for a reader. */
export function createBoundedQueue<T>(signal: AbortSignal) {
  const items: T[] = [];
  let dropped = 0;
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  return {
    push(item: T) {
      // After a gap, new items wait until the reader has seen how long it is.
      if (dropped === 0 && items.length < MAX_QUEUED_ITEMS) items.push(item);
      else dropped += 1;
      wake();
    },
    /** The items as they arrive, and how many were dropped; ends with the signal. */
    async *read(): AsyncGenerator<T | DroppedEvents> {
      while (!signal.aborted) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (dropped > 0) {
          const gap = { dropped };
          dropped = 0;
          yield gap;
        } else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
