import { once } from "node:events";
import type { Readable } from "node:stream";
import { clearInterval, setInterval } from "node:timers";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { formatTime } from "../../../../domain/times.ts";
import { wrapAtSpaces } from "../../../../domain/wrap-text.ts";
import type { Context, InputStream } from "../../../context.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { ControlClient } from "../../../sandbox-control/control.ts";
import { openBrowser } from "../inspect.ts";
import type { StateFile } from "./state-file.ts";

const STATUS_INTERVAL_MS = 1_000;

interface LiveLogOptions {
  readonly sandbox: Sandbox;
  readonly state: StateFile | null;
  /** The options that other commands need to find this sandbox; empty for the default one. */
  readonly named: string;
  readonly quit: () => void;
  /** Resets the sandbox, also for other commands. */
  readonly reset: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Shows requests and delivery attempts on a terminal as they end, above a row with the state, and obeys keys. */
export async function* streamLiveLog(
  context: Context,
  { sandbox, state, named, quit, reset, signal }: LiveLogOptions,
): AsyncGenerator<string> {
  const { stdin, stdout, env } = context;
  const { createActivityRenderer, createTonePainter } = await import("../../../output/activity-text.ts");
  const { createStatusScreen } = await import("../../../output/status-screen.ts");
  const render = createActivityRenderer(stdout);
  const hasRow = stdout.columns > 0 && env.TERM !== "dumb";
  const paint = createTonePainter(stdout.hasColour);
  const screen = createStatusScreen(stdout, { hasRow, style: (text) => paint("dim", text) });
  const hasKeys = hasRow && (stdin.canReadKeys ?? stdin.isTerminal) && !env.CLAIMS_NO_INPUT;
  const showStatus = () => screen.showStatus(describeStatus(sandbox, state, hasKeys));
  const print = (line: string) => {
    const width = stdout.columns || Number.POSITIVE_INFINITY;
    screen.print(`${wrapAtSpaces(sanitizeLine(line), width).join("\n")}\n`);
    showStatus();
  };
  const followed = (async () => {
    for await (const event of sandbox.activity(signal)) {
      screen.print(render(event));
      showStatus();
    }
  })();
  followed.then(screen.end, (error: Error) => screen.output.destroy(error));
  const target = { context, sandbox, state, named, clear: screen.clear, quit, reset };
  if (hasKeys) readKeys(stdin, target, { print, signal });
  showStatus();
  const timer = setInterval(showStatus, STATUS_INTERVAL_MS);
  try {
    yield* screen.output as AsyncIterable<string>;
  } finally {
    clearInterval(timer);
  }
}

/** The clock, the state file and the faults in force; without seconds, so that the row rests. */
function describeStatus({ clock, faults }: Sandbox, state: StateFile | null, hasKeys: boolean): string {
  const now = clock.now();
  const inForce = faults.list().filter(({ applied, times }) => times === null || applied < times).length;
  return [
    `clock ${clock.frozen ? "frozen at " : ""}${formatTime(now)}`,
    state ? state.describe() : "no state file",
    inForce === 0 ? "no faults" : `${formatCount(inForce, "fault")} in force`,
    ...(hasKeys ? ["? for keys"] : []),
  ].join(" · ");
}

/** The URL has a ticket that works once, for a minute: nothing is lost when it stays on the screen. */
async function openInspector({ context, sandbox: { url, controlToken } }: KeyTarget) {
  const ticket = await new ControlClient(context, { url, controlToken }).send("POST /inspect", "url");
  const failure = await openBrowser(context, ticket.url);
  return [
    failure === null ? `opened ${ticket.url}` : `no browser was opened: ${failure}; open ${ticket.url}`,
  ];
}

/** Writes each event as a line of JSON. While the reader is behind, events wait in the queue of the sandbox, which drops some. */
export async function writeEvents(
  { stdout: { writable } }: Pick<Context, "stdout">,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of sandbox.activity(signal)) {
    if (writable.write(`${JSON.stringify(event)}\n`)) continue;
    // A reader that never continues must not keep the sandbox from stopping.
    await once(writable, "drain", { signal }).catch((error: Error) => {
      if (error.name !== "AbortError") throw error;
    });
  }
}

interface KeyTarget extends Omit<LiveLogOptions, "signal"> {
  readonly context: Context;
  readonly clear: () => void;
}

interface KeyAction {
  readonly help: string;
  /** Returns the lines to print, if there are any. */
  run(target: KeyTarget): Promise<readonly string[]> | readonly string[] | undefined;
}

const ACTIONS: Readonly<Record<string, KeyAction>> = {
  n: {
    help: "next: run what is due next, and move the clock there",
    async run({ sandbox }) {
      const { ran, to } = await sandbox.clock.advance("next");
      const tasks = ran.map(({ kind, subject }) => `${kind} ${subject}`).join(", ");
      return [ran.length === 0 ? "nothing is due" : `clock at ${formatTime(to)}: ran ${tasks}`];
    },
  },
  r: {
    help: "reset to the state of the start",
    async run({ reset }) {
      await reset();
      return ["reset to the state of the start"];
    },
  },
  f: { help: "faults in force", run: listFaults },
  x: {
    help: "clear the faults",
    run({ sandbox: { faults } }) {
      const count = faults.list().length;
      faults.clear();
      return [`${formatCount(count, "fault")} cleared`];
    },
  },
  e: { help: "emit partner.test", run: emitTestEvent },
  s: {
    help: "save the state",
    async run({ sandbox, state }) {
      await state?.save(sandbox);
      return [state ? "state saved" : "no state file: start the sandbox with --state FILE"];
    },
  },
  o: { help: "open the inspector in the browser", run: openInspector },
  c: { help: "clear the screen", run: ({ clear }) => void clear() },
  q: { help: "quit, as Ctrl-C does", run: ({ quit }) => void quit() },
};

const KEY_HELP: readonly string[] = Object.entries(ACTIONS).map(([key, { help }]) => `  ${key}  ${help}`);

/** In raw mode, Ctrl-C and Ctrl-D are keys. */
const STOP_KEYS = ["\u0003", "\u0004"];

/** Reads single keys from a terminal, one action at a time, until the signal. @param print prints one line */
function readKeys(
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

function listFaults({ sandbox, named }: KeyTarget): readonly string[] {
  const faults = sandbox.faults.list();
  if (faults.length === 0) return [`no fault; \`claims sandbox faults add flaky${named}\` adds one`];
  return faults.map(
    ({ id, description, applied, matched }) =>
      `rule ${id}: ${description}, applied to ${applied} of ${matched} matching requests`,
  );
}

async function emitTestEvent({ sandbox }: KeyTarget): Promise<readonly string[]> {
  const { eventId, deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  if (deliveries.length === 0) return [`emitted event ${eventId}: no active endpoint subscribes to it`];
  return [`emitted event ${eventId}: ${formatCount(deliveries.length, "delivery", "deliveries")}`];
}
