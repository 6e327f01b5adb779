import type { SnapshotInfo } from "../../../../../sandbox/index.ts";
import { toListOutput } from "../../../output/output.ts";
import { controlCommand } from "../../../sandbox-control/control-command.ts";

const listSnapshots = (items: readonly SnapshotInfo[]) =>
  toListOutput({
    items,
    columns: [
      { name: "name", isId: true },
      { name: "takenAt", title: "taken at" },
      { name: "rows", align: "right" },
    ],
    emptyMessage: "no snapshot",
  });

export const snapshotList = controlCommand({
  name: "snapshot list",
  prints: "Snapshots",
  summary: "list the snapshots in a sandbox's memory",
  output: "list",
  quietPrints: "names",
  examples: ["claims sandbox snapshot list", "claims sandbox snapshot list -q"],
  run: async (control) => listSnapshots(await control.list("GET /snapshots")),
});

export const snapshotRemove = controlCommand({
  name: "snapshot remove",
  prints: "Snapshots",
  summary: "delete a snapshot, and list the remaining ones",
  output: "list",
  quietPrints: "names",
  arguments: [{ name: "snapshot", help: "its name" }],
  examples: ["claims sandbox snapshot remove before"],
  run: async (control, { args }) =>
    listSnapshots(await control.list("DELETE /snapshots/{name}", { params: { name: args.snapshot } })),
});
