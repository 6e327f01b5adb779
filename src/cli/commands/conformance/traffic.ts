import type { HostOptions } from "../../../../sandbox/api/host-options.ts";
import type { LoggedRequest, Sandbox, SandboxOptions } from "../../../../sandbox/index.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";

const PAUSE_MS = 20;
const MAX_PAUSES = 25;

/** A program that polls without a pause must not push its first requests out of the log, nor a large test suite. */
export const REQUEST_LOG_SIZE = 10_000;

/** The requests of a program that has ended: the sandbox learns a moment later that their connections are closed. */
export async function readTraffic({ sleep }: Context, { requests }: Sandbox) {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses += 1) {
    const list = await requests.list();
    if (list.every(({ outcome }) => outcome !== "running")) return list;
    await sleep(PAUSE_MS);
  }
  return requests.list();
}

export type Watcher = (request: LoggedRequest) => void;

/** Starts a sandbox for some work. Calls each watcher with every request that ends. */
export async function followSandbox<T>(
  context: Context,
  options: SandboxOptions,
  hostOptions: HostOptions,
  watchers: Iterable<Watcher>,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startEmbeddedSandbox(context, options, hostOptions);
  const stop = new AbortController();
  const follow = async () => {
    for await (const event of sandbox.activity(stop.signal)) {
      if (!("event" in event) || event.event !== "request") continue;
      for (const watch of watchers) watch(event);
    }
  };
  const followed = follow();
  try {
    return await work(sandbox);
  } finally {
    stop.abort();
    await followed;
    await sandbox.close();
  }
}
