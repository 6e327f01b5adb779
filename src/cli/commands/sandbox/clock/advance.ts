import type { AdvanceResult, AgendaItem } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { formatDuration } from "../../../output/format-duration.ts";
import { formatCount } from "../../../output/numbers.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { startProgress } from "../../../output/progress.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ControlTarget, readControl, requireControl } from "../../../sandbox-control/control.ts";
import { TASK_COLUMNS } from "../agenda.ts";
import { sandboxNameOption } from "../options.ts";

/** Milliseconds: all that falls due is done before the answer, and a receiver may take its time. */
const ADVANCE_TIMEOUT_MS = 30 * 60_000;

export const clockAdvance = command({
  name: "clock advance",
  summary: "move a sandbox's clock on, let run what falls due by that, and list it in order",
  remote: false,
  output: "list",
  arguments: [{ name: "duration", help: "how far, as in 30s, 5m, 3d", isOptional: true }],
  options: {
    ...sandboxNameOption,
    to: { value: "when", help: "a time (RFC 3339), next (what is due next) or idle (until nothing is due)" },
  },
  examples: [
    "claims sandbox clock advance 3d",
    "claims sandbox clock advance --to next",
    "claims sandbox clock advance --to idle --json | jq length",
  ],
  async run(context, { args, options }) {
    const to = parseTarget(args.duration, options.to);
    const control = await requireControl(context, options.name);
    return listAdvance(context, await moveClock(context, control, "/clock/advance", to));
  },
});

/** Asks for a move of the clock, and waits until what fell due by it has run. */
export async function moveClock(
  context: Context,
  control: ControlTarget,
  path: string,
  to: string,
): Promise<AdvanceResult> {
  const progress = startProgress(context.stderr, `moving the clock: ${to}`);
  return readControl<AdvanceResult>(context, control, "ran", "POST", path, {
    body: { to },
    timeoutMs: ADVANCE_TIMEOUT_MS,
  }).finally(() => progress.stop());
}

/** What a move of the clock let run, in order. */
export function listAdvance(context: Context, ledger: AdvanceResult): Output {
  printMessage(context, describeAdvance(ledger));
  return toListOutput<AgendaItem>({
    items: ledger.ran,
    columns: [{ name: "dueAt", title: "at" }, ...TASK_COLUMNS],
    idOf: ({ subject }) => subject,
    emptyMessage: "nothing fell due",
  });
}

function parseTarget(duration: string | undefined, to: string | undefined): string {
  if (duration !== undefined && to === undefined) {
    // What is meant is plain, also without the flag.
    if (!/^(next|idle|\d{4}-.*)$/.test(duration)) parseDurationFlag(duration);
    return duration;
  }
  if (to !== undefined && duration === undefined) return to;
  const message =
    to === undefined
      ? "nothing says how far the clock should move"
      : "a duration and --to exclude each other";
  throw new ClaimsError("usage", "advance_target", message, {
    hint: "give a duration such as 3d, or --to next, idle or a time",
  });
}

function describeAdvance({ from, to, ran }: AdvanceResult): string {
  const moved = formatDuration(Date.parse(to) - Date.parse(from));
  const count = ran.length === 0 ? "nothing" : formatCount(ran.length, "thing");
  return `the clock went from ${from} to ${to} (${moved}); ${count} ran`;
}
