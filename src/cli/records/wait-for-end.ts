import { endOf, type JobProgress, pollUntilEnded } from "../../client/wait.ts";
import { ClaimsError, notFoundError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { startProgress } from "../output/progress.ts";
import { printMessage } from "../output/stderr.ts";

/** The wait of `--wait` without `--timeout` (product.md §3). */
export const DEFAULT_WAIT_MS = 15 * 60_000;

interface WaitOptions<J> {
  /** Names what is waited for, as in `the job`. */
  readonly what: string;
  readonly ask: () => Promise<J>;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  readonly describe: (seen: JobProgress) => string;
}

/** After a reset or a restart of a sandbox, an id may come again for something else. @throws ClaimsError `state_gone` */
export async function waitForEnd<J extends { readonly seen: JobProgress }>(
  context: Context,
  service: Service,
  { what, ask, timeout = DEFAULT_WAIT_MS, describe }: WaitOptions<J>,
): Promise<J> {
  const { client, connection } = service;
  let hasResponded = false;
  const askSameState = async () => {
    const instance = await service.findInstance();
    try {
      const job = await ask();
      const isPending = endOf(job.seen) === "pending";
      const state = isPending || hasResponded ? await service.findSandboxState() : null;
      if (state && state.instanceId !== instance) throw stateGoneError(what, connection.baseUrl);
      if (state?.isFrozen && isPending) announceFrozenClock(context, service);
      hasResponded = true;
      return job;
    } catch (error) {
      if (!(error instanceof ClaimsError) || !(error.status === 404 || error.status === 401)) throw error;
      const state = await service.findSandboxState();
      const isGone = state && (state.instanceId !== instance || (error.status === 404 && hasResponded));
      throw isGone ? stateGoneError(what, connection.baseUrl, error) : error;
    }
  };
  const progress = startProgress(context.stderr, `waiting for ${what}`);
  try {
    return await pollUntilEnded(askSameState, {
      runtime: context,
      timeoutMs: timeout,
      signal: context.signal,
      onProgress: (seen) => progress.update(describe(seen)),
      outages: client.outages,
    });
  } finally {
    progress.stop();
  }
}

/** The services whose frozen clock was announced. */
const announced = new WeakSet<object>();

export function announceFrozenClock(context: Context, service: object): void {
  if (announced.has(service)) return;
  announced.add(service);
  printMessage(context, "the clock of this sandbox is frozen: `claims sandbox clock advance --to next`");
}

export const stateGoneError = (what: string, baseUrl: string, cause?: ClaimsError): ClaimsError =>
  notFoundError("state_gone", `${what} is gone: the sandbox at ${baseUrl} has another state now`, {
    hint: "it was reset, was restarted or has loaded a snapshot meanwhile; submit again",
    cause,
  });
