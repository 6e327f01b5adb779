import type { AdvanceResult, AgendaItem, ClockState } from "../../../../sandbox/index.ts";
import { usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { formatDue, formatDuration, formatTime } from "../../../domain/times.ts";
import { parseDurationFlag } from "../../framework/values.ts";
import { type ListColumn, type RecordOutput, toCardOutput, toListOutput } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { printMessage } from "../../output/stderr.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

const TASK_COLUMNS: readonly ListColumn<AgendaItem>[] = [
  { name: "kind", title: "task" },
  { name: "subject", isId: true },
];

const agenda = defineControlCommand({
  name: "agenda",
  prints: "GET /agenda",
  summary: "list the tasks that wait on a sandbox's clock, soonest first",
  output: "list",
  examples: ["claims sandbox agenda", "claims sandbox agenda --json | jq -r '.[0].dueAt'"],
  async run(_context, _invocation, control) {
    const items = await control.list("GET /agenda");
    const now = Date.parse((await control.send("GET /clock", "now")).now);
    return toListOutput({
      items,
      columns: [
        { name: "dueAt", title: "due", display: ({ dueAt }) => formatDue(Date.parse(dueAt) - now) },
        ...TASK_COLUMNS,
      ],
      emptyMessage: "no task is waiting",
    });
  },
});

const clockShow = defineControlCommand({
  name: "clock show",
  prints: "GET /clock",
  summary: "show the time of a sandbox",
  output: "record",
  examples: ["claims sandbox clock show", "claims sandbox clock show --json | jq -r .now"],
  run: async (_context, _invocation, control) => renderClock(await control.send("GET /clock", "now")),
});

export function renderClock(clock: ClockState): RecordOutput {
  const state = clock.frozen ? "frozen: only `claims sandbox clock advance` moves it" : "running";
  return toCardOutput("clock", { id: clock.now, record: clock, fields: { now: clock.now, clock: state } });
}

/** The response comes when all due tasks have run, and a receiver may be slow. */
const ADVANCE_TIMEOUT_MS = 30 * 60_000;

const clockAdvance = defineControlCommand({
  name: "clock advance",
  prints: "RanTasks",
  summary: "move a sandbox's clock, run the tasks that fall due, and list them in order",
  output: "list",
  arguments: [{ name: "duration", help: "how far, as in 30s, 5m, 3d", isOptional: true }],
  options: {
    to: { value: "when", help: "a time (RFC 3339), next (the next due task) or idle (until no task is due)" },
  },
  examples: [
    "claims sandbox clock advance 3d",
    "claims sandbox clock advance --to next",
    "claims sandbox clock advance --to idle --json | jq length",
  ],
  async run(context, { args, options }, control) {
    const to = parseTarget(args.duration, options.to);
    const progress = startProgress(context.stderr, `moving the clock: ${to}`);
    const result = await control
      .send("POST /clock/advance", "ran", { body: { to }, timeoutMs: ADVANCE_TIMEOUT_MS })
      .finally(() => progress.stop());
    printMessage(context, describeAdvance(result));
    return toListOutput({
      items: result.ran,
      columns: [{ name: "dueAt", title: "at", display: ({ dueAt }) => formatTime(dueAt) }, ...TASK_COLUMNS],
      // The sentence about the clock says so.
      emptyMessage: "",
    });
  },
});

function parseTarget(duration: string | undefined, to: string | undefined): string {
  const target = duration ?? to;
  if (target === undefined || (duration !== undefined && to !== undefined)) {
    const message = target === undefined ? "no duration given" : "a duration and --to exclude each other";
    throw usageError("option_invalid", message, {
      hint: "give a duration such as 3d, or --to next, idle or a time",
    });
  }
  // The argument may also be what --to takes.
  if (duration === undefined || /^(next|idle|\d{4}-.*)$/.test(duration)) return target;
  parseDurationFlag(duration);
  return /^[\d.]+$/.test(duration) ? `${duration}s` : duration;
}

function describeAdvance({ from, to, ran }: AdvanceResult): string {
  const moved = formatDuration(Date.parse(to) - Date.parse(from));
  const count = ran.length === 0 ? "no task" : formatCount(ran.length, "task");
  return `the clock moved ${moved}, to ${formatTime(to)}; ${count} ran`;
}

const clockSwitch = (verb: "freeze" | "unfreeze", summary: string) =>
  defineControlCommand({
    name: `clock ${verb}`,
    prints: `POST /clock/${verb}`,
    summary,
    output: "record",
    examples: [`claims sandbox clock ${verb}`],
    run: async (_context, _invocation, control) =>
      renderClock(await control.send(`POST /clock/${verb}`, "now")),
  });

export const clockCommands = [
  clockShow,
  clockAdvance,
  clockSwitch("freeze", "stop a sandbox's clock"),
  clockSwitch("unfreeze", "let a sandbox's clock run on"),
  agenda,
];
