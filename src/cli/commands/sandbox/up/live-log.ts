import { once } from "node:events";
import { clearInterval, setInterval } from "node:timers";
import type { ActivityEvent, DroppedEvents, Sandbox } from "../../../../../sandbox/index.ts";
import type { ActivityLine } from "../../../../domain/activity/activity-line.ts";
import { describeAttempt } from "../../../../domain/activity/describe-attempt.ts";
import { describeRequest } from "../../../../domain/activity/describe-request.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { shouldUseColour } from "../../../output/colour.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { ControlClient } from "../../../sandbox-control/control.ts";
import { openBrowser } from "../inspect.ts";
import { type KeyTarget, readKeys } from "./keys.ts";
import type { StateFile } from "./state-file.ts";

const describeEvent = (event: ActivityEvent): ActivityLine =>
  event.event === "request" ? describeRequest(event) : describeAttempt(event);

const describeDropped = ({ dropped }: DroppedEvents): string =>
  `${dropped} lines are missing: they arrived faster than they were read`;

const STATUS_INTERVAL_MS = 1_000;

interface LiveLogOptions {
  readonly sandbox: Sandbox;
  readonly state: StateFile | null;
  readonly named: KeyTarget["named"];
  readonly color: boolean | undefined;
  readonly quit: () => void;
  /** Resets the sandbox, also for other commands. */
  readonly reset: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Shows requests and delivery attempts on a terminal as they end, above a row with the state, and obeys keys. */
export async function* streamLiveLog(
  context: Context,
  { sandbox, state, named, color, quit, reset, signal }: LiveLogOptions,
): AsyncGenerator<string> {
  const { stdin, stdout, env } = context;
  const [{ createActivityRenderer }, { createStatusScreen }, { createDimStyle }] = await Promise.all([
    import("../../../output/activity-text.ts"),
    import("../../../output/status-screen.ts"),
    import("../../../output/blocks.ts"),
  ]);
  const colour = shouldUseColour({ flag: color, env, isTerminal: true });
  const render = createActivityRenderer(colour);
  const hasRow = stdout.columns > 0 && env.TERM !== "dumb";
  const screen = createStatusScreen(stdout, { hasRow, style: createDimStyle(colour) });
  const hasKeys = hasRow && (stdin.canReadKeys ?? stdin.isTerminal) && !env.CLAIMS_NO_INPUT;
  const showStatus = () => screen.showStatus(describeStatus(sandbox, state, hasKeys));
  const print = (line: string) => {
    screen.print(`${sanitizeLine(line)}\n`);
    showStatus();
  };
  const followed = (async () => {
    for await (const event of sandbox.activity(signal)) {
      if ("dropped" in event) print(describeDropped(event));
      else screen.print(render(describeEvent(event)));
      showStatus();
    }
  })();
  followed.then(screen.end, (error: Error) => screen.output.destroy(error));
  const openInspector = () => openInspectorInBrowser(context, sandbox);
  const target = { sandbox, state, named, openInspector, clear: screen.clear, quit, reset };
  if (hasKeys) readKeys(stdin, target, { print, signal });
  showStatus();
  const timer = setInterval(showStatus, STATUS_INTERVAL_MS);
  try {
    yield* screen.output as AsyncIterable<string>;
  } finally {
    clearInterval(timer);
  }
}

/** The clock, the state file and the faults in force; a running clock without seconds, so that the row rests. */
function describeStatus({ clock, faults }: Sandbox, state: StateFile | null, hasKeys: boolean): string {
  const now = clock.now();
  const inForce = faults.list().filter(({ applied, times }) => times === null || applied < times).length;
  return [
    clock.frozen ? `clock frozen at ${now}` : `clock ${now.slice(0, 16)}Z`,
    state ? state.describe() : "no state file",
    inForce === 0 ? "no faults" : `${formatCount(inForce, "fault")} in force`,
    ...(hasKeys ? ["? for keys"] : []),
  ].join(" · ");
}

/** The URL has a ticket that works once, for a minute: nothing is lost when it stays on the screen. */
async function openInspectorInBrowser(context: Context, { url, controlToken }: Sandbox) {
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
