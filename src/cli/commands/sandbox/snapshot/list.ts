import type { SnapshotInfo } from "../../../../../sandbox/index.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";
import { readControlList, requireControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { snapshotPath } from "./load.ts";

const listSnapshots = (items: readonly SnapshotInfo[]) =>
  toListOutput<SnapshotInfo>({
    items,
    columns: [
      { name: "name", isId: true },
      { name: "takenAt", title: "taken at" },
      { name: "rows", align: "right" },
    ],
    idOf: ({ name }) => name,
    emptyMessage: "no snapshot is kept",
  });

export const snapshotList = command({
  name: "snapshot list",
  summary: "list the snapshots that a sandbox keeps in its memory",
  remote: false,
  output: "list",
  options: sandboxNameOption,
  examples: ["claims sandbox snapshot list", "claims sandbox snapshot list -q"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    return listSnapshots(await readControlList(context, control, "GET", "/snapshots"));
  },
});

export const snapshotRemove = command({
  name: "snapshot remove",
  summary: "forget a snapshot, and list those that are left",
  remote: false,
  output: "list",
  arguments: [{ name: "snapshot", help: "its name" }],
  options: sandboxNameOption,
  examples: ["claims sandbox snapshot remove before"],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    return listSnapshots(await readControlList(context, control, "DELETE", snapshotPath(args.snapshot)));
  },
});
