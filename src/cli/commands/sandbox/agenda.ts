import type { AgendaItem } from "../../../../sandbox/index.ts";
import { command } from "../../framework/command.ts";
import { formatDuration } from "../../output/format-duration.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import { readControl, readControlList, requireControl } from "../../sandbox-control/control.ts";
import type { ClockState } from "./clock/show.ts";
import { sandboxNameOption } from "./options.ts";

/** Columns of what the clock lets run. */
export const TASK_COLUMNS: readonly ListColumn<AgendaItem>[] = [
  { name: "kind", title: "what" },
  { name: "subject", isId: true },
];

export const agenda = command({
  name: "agenda",
  summary: "list what waits on a sandbox's clock, soonest first",
  remote: false,
  output: "list",
  options: sandboxNameOption,
  examples: ["claims sandbox agenda", "claims sandbox agenda --json | jq -r '.[0].dueAt'"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const items = await readControlList<AgendaItem>(context, control, "GET", "/agenda");
    const { now } = await readControl<ClockState>(context, control, "now", "GET", "/clock");
    return toListOutput<AgendaItem>({
      items,
      columns: [
        {
          name: "dueAt",
          title: "due",
          display: ({ dueAt }) => describeDue(Date.parse(dueAt) - Date.parse(now)),
        },
        ...TASK_COLUMNS,
      ],
      idOf: ({ subject }) => subject,
      emptyMessage: "nothing waits",
    });
  },
});

const describeDue = (milliseconds: number): string =>
  milliseconds <= 0 ? "now" : `in ${formatDuration(milliseconds)}`;
