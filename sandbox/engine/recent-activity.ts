import type { JobChange } from "./jobs/jobs.ts";
import type { RecordedRequest } from "./request-log/request-log.ts";
import type { SettledAttempt } from "./webhooks/delivery-worker.ts";

/** The timeline shows fewer. */
const MAX_ITEMS = 1_000;

export interface EndedRun extends JobChange {
  readonly timelinePosition: number;
}

type Activity = RecordedRequest | SettledAttempt | JobChange;

/** What happens: the latest items, and those who follow all of them. Requests are kept in their own log. */
export function createRecentActivity() {
  const followers = new Set<(item: Activity) => void>();
  let lastPosition = 0;
  let items: (EndedRun | SettledAttempt)[] = [];
  return {
    /** The position of something that begins now: times cannot order what happens while the clock is frozen. */
    nextTimelinePosition(): number {
      lastPosition += 1;
      return lastPosition;
    },

    /** Calls `follower` with each item. Returns a function that stops it. */
    follow(follower: (item: Activity) => void): () => void {
      followers.add(follower);
      return () => followers.delete(follower);
    },

    publish(item: Activity): void {
      for (const follower of followers) follower(item);
    },

    keep(item: EndedRun | SettledAttempt): void {
      items.push(item);
      if (items.length >= 2 * MAX_ITEMS) items = items.slice(-MAX_ITEMS);
    },

    list: (): readonly (EndedRun | SettledAttempt)[] => items,

    clear(): void {
      items = [];
    },
  };
}
