import type { SnapshotChange, SnapshotDiff } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readControl, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { SNAPSHOT_TIMEOUT_MS, snapshotPath } from "./load.ts";

export const snapshotDiff = command({
  name: "snapshot diff",
  summary: "list what came, went and changed from one snapshot to another, or to the present state",
  remote: false,
  output: "list",
  arguments: [
    { name: "snapshot", help: "its name" },
    { name: "other", help: "the later one (the present state)", isOptional: true },
  ],
  options: sandboxNameOption,
  examples: [
    "claims sandbox snapshot diff before",
    "claims sandbox snapshot diff before after --json | jq length",
  ],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    const to = args.other === undefined ? "" : `?${new URLSearchParams({ to: args.other })}`;
    const path = `${snapshotPath(args.snapshot)}/diff${to}`;
    const { clock, changes } = await readControl<SnapshotDiff>(context, control, "changes", "GET", path, {
      timeoutMs: SNAPSHOT_TIMEOUT_MS,
    });
    printMessage(context, `from ${clock.from} to ${clock.to} of the sandbox's clock`);
    return toListOutput<SnapshotChange>({
      items: changes,
      columns: [
        { name: "change" },
        { name: "what" },
        { name: "id", isId: true },
        { name: "fields", canWrap: true, value: ({ fields }) => fields.map(describeField).join(", ") },
      ],
      idOf: ({ id }) => id,
      emptyMessage: "nothing differs",
    });
  },
});

const describeField = ({ name, from, to }: SnapshotChange["fields"][number]): string =>
  from === undefined ? name : `${name} ${from} → ${to}`;
