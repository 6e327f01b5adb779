import type { AgendaItem } from "../../../../sandbox/index.ts";
import { formatDuration } from "../../output/format-duration.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import { controlCommand } from "../../sandbox-control/control-command.ts";

export const TASK_COLUMNS: readonly ListColumn<AgendaItem>[] = [
  { name: "kind", title: "task" },
  { name: "subject", isId: true },
];

export const agenda = controlCommand({
  name: "agenda",
  prints: "SandboxTasks",
  summary: "list the tasks that wait on a sandbox's clock, soonest first",
  output: "list",
  examples: ["claims sandbox agenda", "claims sandbox agenda --json | jq -r '.[0].dueAt'"],
  async run(control) {
    const items = await control.list("GET /agenda");
    const now = Date.parse((await control.send("GET /clock", "now")).now);
    return toListOutput({
      items,
      columns: [
        { name: "dueAt", title: "due", display: ({ dueAt }) => describeDue(Date.parse(dueAt) - now) },
        ...TASK_COLUMNS,
      ],
      emptyMessage: "no task is waiting",
    });
  },
});

const describeDue = (delayMs: number): string => (delayMs <= 0 ? "now" : `in ${formatDuration(delayMs)}`);
