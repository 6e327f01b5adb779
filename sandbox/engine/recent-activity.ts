import type { JobChange } from "./jobs/jobs.ts";
import type { RecordedRequest } from "./request-log/request-log.ts";
import type { SettledAttempt } from "./webhooks/delivery-worker.ts";

/** The timeline shows fewer. */
const MAX_ITEMS = 1_000;

/** What happens, by its `kind`. */
export type Activity = RecordedRequest | SettledAttempt | JobChange;

/** The latest attempts and ends of runs, and those who subscribe to all that happens. Requests are kept in their own log. */
export function createRecentActivity() {
  const subscribers = new Set<(item: Activity) => void>();
  let lastPosition = 0;
  let items: (SettledAttempt | JobChange)[] = [];
  return {
    /** The position of something that begins now: times cannot order what happens while the clock is frozen. */
    nextTimelinePosition(): number {
      lastPosition += 1;
      return lastPosition;
    },

    /** Calls `subscriber` with each item. Returns a function that stops it. */
    subscribe(subscriber: (item: Activity) => void): () => void {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },

    record(item: Activity): void {
      if (item.kind === "attempt" || (item.kind === "job" && item.state !== "processing")) items.push(item);
      if (items.length >= 2 * MAX_ITEMS) items = items.slice(-MAX_ITEMS);
      for (const subscriber of subscribers) subscriber(item);
    },

    list: (): readonly (SettledAttempt | JobChange)[] => items,

    clear(): void {
      items = [];
    },
  };
}
