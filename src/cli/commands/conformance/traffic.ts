import type { LoggedRequest, Sandbox } from "../../../../sandbox/index.ts";
import type { Context } from "../../context.ts";

const PAUSE_MS = 20;
const MAX_PAUSES = 25;

/** The requests of a program that has ended: the sandbox learns a moment later that their connections are closed. */
export async function readTraffic({ sleep }: Context, { requests }: Sandbox) {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses += 1) {
    const list = await requests.list();
    if (list.every(({ outcome }) => outcome !== "running")) return list;
    await sleep(PAUSE_MS);
  }
  return requests.list();
}

export const lastNumber = async ({ requests }: Sandbox): Promise<number> =>
  (await requests.list({ limit: 1 }))[0]?.number ?? 0;

export async function listOpenJobs(sandbox: Sandbox): Promise<readonly string[]> {
  await sandbox.idle();
  const tasks = sandbox.clock.agenda().filter(({ kind }) => kind.startsWith("job."));
  return [...new Set(tasks.map(({ subject }) => subject))];
}

/** Calls each function with every request that ends. @returns a function that ends it */
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

/** Splits requests where their numbers begin again: a reset of the sandbox clears its log. At least one part, in order. */
export function splitByReset(requests: readonly LoggedRequest[]): LoggedRequest[][] {
  const inOrder = requests.toSorted(
    (one, other) => one.arrivalOffsetMs - other.arrivalOffsetMs || one.number - other.number,
  );
  const parts: LoggedRequest[][] = [[]];
  for (const request of inOrder) {
    const part = parts.at(-1) ?? [];
    if (request.number <= (part.at(-1)?.number ?? 0)) parts.push([request]);
    else part.push(request);
  }
  return parts;
}
