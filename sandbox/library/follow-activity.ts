import { redactUrl } from "../../src/domain/activity/describe-attempt.ts";
import type { ActivityEvent, AttemptEvent, DroppedEvents } from "../api/activity.ts";
import type { RequestFilter } from "../api/requests.ts";
import { checkFields, SIGNAL } from "../engine/check-fields.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobChange } from "../engine/jobs/jobs.ts";
import { parseFilter } from "../engine/request-log/filter.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { redactText } from "../engine/request-log/redaction.ts";
import type { RecordedRequest } from "../engine/request-log/request-log.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import type { SettledAttempt } from "../engine/webhooks/delivery-worker.ts";

/** @param filter of requests; with one, there are no other events */
export function followActivity(
  { closeSignal, recentActivity, store }: Engine,
  signal: AbortSignal,
  filter: RequestFilter = {},
): AsyncGenerator<ActivityEvent | DroppedEvents> {
  checkFields({ signal }, { signal: SIGNAL }, { what: "activity()", noun: "option" });
  const { test } = parseFilter(filter);
  const isFiltered = Object.keys(filter).length > 0;
  const end = AbortSignal.any([signal, closeSignal]);
  const queue = createBoundedQueue<RecordedRequest | SettledAttempt | JobChange>(end);
  const unfollow = recentActivity.follow((item) => {
    if ("method" in item ? test(item) : !isFiltered) queue.push(item);
  });
  end.addEventListener("abort", unfollow, { once: true });
  async function* readEvents() {
    try {
      for await (const item of queue.read()) {
        if ("dropped" in item) yield item;
        else if ("deliveryId" in item) yield toAttemptEvent(item);
        else if ("jobId" in item) yield { event: "job", ...item, at: formatTime(item.at) } as const;
        else yield { event: "request", ...toLoggedRequest(item, store) } as const;
      }
    } finally {
      unfollow();
    }
  }
  return readEvents();
}

const toAttemptEvent = ({
  at,
  nextAttemptAt,
  url,
  timelinePosition: _,
  ...attempt
}: SettledAttempt): AttemptEvent => ({
  event: "attempt",
  at: formatTime(at),
  url: redactText(redactUrl(url)),
  nextAttemptAt: nextAttemptAt === null ? null : formatTime(nextAttemptAt),
  ...attempt,
});

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
