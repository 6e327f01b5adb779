import type { Readable } from "node:stream";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { InputStream } from "../../../context.ts";
import type { StateFile } from "./state-file.ts";

export interface KeyTarget {
  readonly sandbox: Sandbox;
  readonly state: StateFile | null;
  /** The options that other commands need to find this sandbox; empty for the default one. */
  readonly named: string;
  /** Opens the inspector in the browser; returns the lines to print. */
  readonly openInspector: () => Promise<readonly string[]>;
  readonly clear: () => void;
  readonly quit: () => void;
  readonly reset: () => Promise<void>;
}

interface KeyAction {
  readonly help: string;
  /** Returns the lines to print, if there are any. */
  run(target: KeyTarget): Promise<readonly string[]> | readonly string[] | undefined;
}

const ACTIONS: Readonly<Record<string, KeyAction>> = {
  n: { help: "next: run what is due next, and move the clock there", run: runNextTask },
  r: { help: "reset to the state of the start", run: resetSandbox },
  f: { help: "faults in force", run: listFaults },
  x: { help: "clear the faults", run: clearFaults },
  e: { help: "emit partner.test", run: emitTestEvent },
  s: { help: "save the state", run: saveState },
  o: { help: "open the inspector in the browser", run: ({ openInspector }) => openInspector() },
  c: { help: "clear the screen", run: ({ clear }) => void clear() },
  q: { help: "quit, as Ctrl-C does", run: ({ quit }) => void quit() },
};

const KEY_HELP: readonly string[] = Object.entries(ACTIONS).map(([key, { help }]) => `  ${key}  ${help}`);

/** In raw mode, Ctrl-C and Ctrl-D are keys. */
const STOP_KEYS = ["\u0003", "\u0004"];

/** Reads single keys from a terminal, one action at a time, until the signal. @param print prints one line */
export function readKeys(
  { readable }: Pick<InputStream, "readable">,
  target: KeyTarget,
  { print, signal }: { readonly print: (line: string) => void; readonly signal: AbortSignal },
): void {
  const terminal = readable as Readable & { setRawMode?(isRaw: boolean): void; unref?(): void };
  let last: Promise<void> = Promise.resolve();
  const onData = (chunk: Uint8Array | string) => {
    for (const key of String(chunk)) {
      if (STOP_KEYS.includes(key)) target.quit();
      else last = last.then(() => runKey(key.toLowerCase(), target, print));
    }
  };
  terminal.setRawMode?.(true);
  terminal.on("data", onData);
  signal.addEventListener(
    "abort",
    () => {
      terminal.off("data", onData).pause();
      terminal.setRawMode?.(false);
      // A terminal that is read keeps the process alive.
      terminal.unref?.();
    },
    { once: true },
  );
}

async function runKey(key: string, target: KeyTarget, print: (line: string) => void): Promise<void> {
  if (key === "?") for (const line of KEY_HELP) print(line);
  const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
  if (!action) return;
  try {
    for (const line of (await action.run(target)) ?? []) print(line);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = error instanceof ClaimsError && error.hint ? ` (${error.hint})` : "";
    print(`${error.message}${hint}`);
  }
}

async function runNextTask({ sandbox }: KeyTarget): Promise<readonly string[]> {
  const { ran, to } = await sandbox.clock.advance("next");
  if (ran.length === 0) return ["nothing is due"];
  return [`clock at ${to}: ran ${ran.map(({ kind, subject }) => `${kind} ${subject}`).join(", ")}`];
}

async function resetSandbox({ reset }: KeyTarget): Promise<readonly string[]> {
  await reset();
  return ["reset to the state of the start"];
}

function listFaults({ sandbox, named }: KeyTarget): readonly string[] {
  const faults = sandbox.faults.list();
  if (faults.length === 0) return [`no fault; \`claims sandbox faults add flaky${named}\` adds one`];
  return faults.map(
    ({ id, description, applied, matched }) =>
      `rule ${id}: ${description}, applied to ${applied} of ${matched} matching requests`,
  );
}

function clearFaults({ sandbox }: KeyTarget): readonly string[] {
  const count = sandbox.faults.list().length;
  sandbox.faults.clear();
  return [`${formatCount(count, "fault")} cleared`];
}

async function emitTestEvent({ sandbox }: KeyTarget): Promise<readonly string[]> {
  const { eventId, deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  if (deliveries.length === 0) return [`emitted event ${eventId}: no active endpoint subscribes to it`];
  return [`emitted event ${eventId}: ${formatCount(deliveries.length, "delivery", "deliveries")}`];
}

async function saveState({ sandbox, state }: KeyTarget): Promise<readonly string[]> {
  if (!state) return ["no state file: start the sandbox with --state FILE"];
  await state.save(sandbox);
  return ["state saved"];
}
