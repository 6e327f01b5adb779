import type { SnapshotChange } from "../../../../../sandbox/index.ts";
import { toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";
import { SNAPSHOT_TIMEOUT_MS } from "./load.ts";

export const snapshotDiff = controlCommand({
  name: "snapshot diff",
  summary: "compare a snapshot with another one, or with the present state",
  output: "list",
  arguments: [
    { name: "snapshot", help: "its name" },
    { name: "other", help: "the later one", default: "the present state", isOptional: true },
  ],
  examples: [
    "claims sandbox snapshot diff before",
    "claims sandbox snapshot diff before after --json | jq length",
  ],
  async run(control, { args }, context) {
    const { clock, changes } = await control.send("GET /snapshots/{name}/diff", "changes", {
      params: { name: args.snapshot },
      query: { to: args.other },
      timeoutMs: SNAPSHOT_TIMEOUT_MS,
    });
    printMessage(context, `the sandbox's clock went from ${clock.from} to ${clock.to}`);
    return toListOutput({
      items: changes,
      columns: [
        { name: "change" },
        { name: "kind" },
        { name: "id", isId: true },
        { name: "fields", canWrap: true, value: ({ fields }) => fields.map(describeField).join(", ") },
      ],
      emptyMessage: "no differences",
    });
  },
});

const describeField = ({ name, from, to }: SnapshotChange["fields"][number]): string =>
  from === undefined ? name : `${name} ${from} → ${to}`;
