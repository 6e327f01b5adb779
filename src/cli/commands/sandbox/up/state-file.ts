import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setImmediate as yieldTurn } from "node:timers/promises";
import type { Sandbox, SandboxOptions, SavedState, SaveFailure } from "../../../../../sandbox/index.ts";
import { readMonotonic } from "../../../../client/runtime.ts";
import { ClaimsError, rephraseError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { formatTimeOfDay } from "../../../../domain/times.ts";
import type { Context } from "../../../context.ts";
import { removeDrafts, writeFileAtomically } from "../../../files/atomic-file.ts";
import { acquireLock } from "../../../files/file-lock.ts";
import { type InputFile, openInput } from "../../../files/input-file.ts";
import { refuseSpecialFile } from "../../../files/regular-file.ts";
import { printMessage } from "../../../output/stderr.ts";

export interface StateFile {
  /** Empty when the file does not exist yet. */
  readonly options: Pick<SandboxOptions, "snapshot">;
  /** Writes the complete state or nothing, after a save in progress. */
  save(sandbox: Sandbox): Promise<void>;
  /** The last save, and the failures since. */
  saves(): { readonly saved: SavedState | null; readonly saveFailure: SaveFailure | null };
  /** Returns the text of the status row about the latest save. */
  describe(): string;
  release(): Promise<void>;
}

/** A container that was killed must not delay the next one for long. */
const LOCK_TIMERS = { waitMs: 0, waitUnseenMs: 8_000, staleMs: 5_000, touchMs: 1_000 };

/** @throws ClaimsError `locked` while another sandbox has it */
export async function openStateFile(context: Context, given: string): Promise<StateFile> {
  if (given === "" || given === "-")
    throw usageError("missing_option", "--state needs the path of a file", {
      hint: "name a new or existing file, such as sandbox.state",
    });
  const path = resolve(context.cwd, given);
  await refuseSpecialFile(path).catch((cause: Error) => {
    throw usageError("cannot_read", `--state: cannot use ${given}: ${cause.message}`, {
      hint: "name a new or existing file, such as sandbox.state",
    });
  });
  const { release, requireHeld } = await acquireLock(context, path, LOCK_TIMERS);
  try {
    await removeDrafts(path);
    let known = await identify(path);
    let saved: SavedState | null = null;
    let saveFailure: SaveFailure | null = null;
    let saving: Promise<unknown> = Promise.resolve();
    const write = async (sandbox: Sandbox) => {
      const startedAt = readMonotonic(context);
      const at = new Date(context.now()).toISOString();
      try {
        await requireHeld();
        const found = await identify(path);
        if (found !== null && found !== known) throw changedError(given);
        await writeFileAtomically(path, yieldInTurns(await sandbox.snapshots.export("now")), { mode: 0o600 });
        known = await identify(path);
        saved = { at, durationMs: readMonotonic(context) - startedAt };
        saveFailure = null;
      } catch (error) {
        saveFailure = { since: saveFailure?.since ?? at, message: (error as Error).message };
        throw error;
      }
    };
    return {
      options: known !== null ? { snapshot: readAndClose(await openInput(context, path)) } : {},
      save(sandbox) {
        const next = saving.then(() => write(sandbox));
        saving = next.catch(() => undefined);
        return next;
      },
      saves: () => ({ saved, saveFailure }),
      describe: () =>
        saveFailure
          ? `${basename(path)} not saved since ${formatTimeOfDay(saveFailure.since)}`
          : saved
            ? `${basename(path)} saved at ${formatTimeOfDay(saved.at)} in ${saved.durationMs} ms`
            : `${basename(path)} not saved yet`,
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Differs between two versions of a file; null for a missing one. */
const identify = (path: string): Promise<string | null> =>
  stat(path, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : ""),
  );

const changedError = (file: string) =>
  unreachableError("locked", `another program changed ${file} since this sandbox read or wrote it`, {
    hint: "move that file away: the next save then writes the state of this sandbox",
  });

/** Lets requests in between two pieces: a stream would ask for many at once. */
async function* yieldInTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await yieldTurn();
  }
}

export function withStateFile(error: unknown, path: string): unknown {
  if (!(error instanceof ClaimsError) || !error.code.startsWith("snapshot_")) return error;
  return rephraseError(error, {
    message: `${path}: ${error.message}`,
    hint: "name another file with --state, or move this one away to start with the seeded state",
  });
}

/** How often to compare the state with the saved one. */
const SAVE_INTERVAL_MS = 2_000;

/** Saves take at most a fifth of the time: after one, this many times its duration pass. */
const REST_FACTOR = 4;

/** One save at a time, until the signal. A save that fails is tried again; each reason is reported once. */
export async function autosave(context: Context, sandbox: Sandbox, state: StateFile, signal: AbortSignal) {
  const { snapshots } = sandbox;
  let saved = snapshots.revision();
  let warning = "";
  let durationMs = 0;
  for (;;) {
    await rest(context, Math.max(SAVE_INTERVAL_MS, durationMs * REST_FACTOR), signal);
    if (signal.aborted) return;
    durationMs = 0;
    const revision = snapshots.revision();
    if (revision === saved) continue;
    const startedAt = readMonotonic(context);
    try {
      await state.save(sandbox);
      saved = revision;
      warning = "";
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      const hint = error instanceof ClaimsError ? `; ${error.hint}` : "";
      if (message !== warning) printMessage(context, `warning: the state is not saved: ${message}${hint}`);
      warning = message;
    }
    durationMs = readMonotonic(context) - startedAt;
  }
}

const rest = (context: Context, milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  context.sleep(milliseconds, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

async function* readAndClose(file: InputFile): AsyncGenerator<Uint8Array> {
  try {
    yield* file.chunks();
  } finally {
    await file.close();
  }
}
