import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";

/**
 * Calls each function with every request that ends.
 *
 * @returns a function that ends it
 */
export function followRequests(
  sandbox: Sandbox,
  watchers: ReadonlySet<(request: LoggedRequest) => void>,
): () => Promise<void> {
  const stop = new AbortController();
  const follow = async () => {
    for await (const event of sandbox.activity(stop.signal)) {
      if (!("event" in event) || event.event !== "request") continue;
      for (const watch of watchers) watch(event);
    }
  };
  const followed = follow();
  return () => {
    stop.abort();
    return followed;
  };
}
