import type { DroppedEvents } from "../../api/activity.ts";

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
