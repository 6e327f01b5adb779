import type { Sandbox } from "../../../../../sandbox/index.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { StateFile } from "./state-file.ts";

/** How often to compare the state with the saved one. */
const CHECK_INTERVAL_MS = 200;

/** Saves take at most a fifth of the time: after one, this many times its duration pass. */
const REST_FACTOR = 4;

interface AutosaveOptions {
  readonly sandbox: Sandbox;
  readonly state: StateFile;
  /** From the first unsaved change to the save. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/**
 * Saves the state while the sandbox runs, one save at a time; resolves when the signal has ended the last one. A save that
 * fails is reported, and tried again.
 */
export async function autosave(
  context: Context,
  { sandbox, state, intervalMs, signal }: AutosaveOptions,
): Promise<void> {
  const { snapshots } = sandbox;
  let saved = snapshots.revision();
  /** No unsaved change is older. */
  let unchangedAt = context.now();
  let restsUntil = 0;
  for (;;) {
    while (!signal.aborted && snapshots.revision() === saved) {
      unchangedAt = context.now();
      await rest(context, CHECK_INTERVAL_MS, signal);
    }
    await rest(context, Math.max(unchangedAt + intervalMs, restsUntil) - context.now(), signal);
    if (signal.aborted) return;
    const revision = snapshots.revision();
    const startedAt = context.now();
    try {
      await state.save(sandbox);
      saved = revision;
    } catch (error) {
      if (signal.aborted) return;
      printMessage(context, `warning: the state is not saved: ${(error as Error).message}`);
    }
    const endedAt = context.now();
    unchangedAt = startedAt;
    restsUntil = endedAt + (endedAt - startedAt) * REST_FACTOR;
  }
}

const rest = (context: Context, milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  context.sleep(Math.max(0, milliseconds), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
