import { resolve } from "node:path";
import type { SnapshotInfo } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { writeFileAtomically } from "../../../atomic-file.ts";
import { command } from "../../../command.ts";
import { askControl, readControl, requireControl, streamControl } from "../../../control.ts";
import type { Card } from "../../../output/output.ts";
import { sandboxName } from "../options.ts";
import { pathOf, SNAPSHOT_PATIENCE } from "./load.ts";

/** The name by which the control API knows the present state. */
const NOW = "now";

export const snapshotSave = command({
  name: "snapshot save",
  summary: "save the state of a sandbox: under a name in its memory, or as a file for another machine",
  remote: false,
  output: "record",
  arguments: [
    { name: "snapshot", help: "what to call it, in the place of one that is called so", optional: true },
  ],
  options: {
    ...sandboxName,
    file: {
      value: "file",
      help: "where to write it, - for stdout; it has the sandbox's secrets in it (mode 0600)",
    },
  },
  examples: ["claims sandbox snapshot save before", "claims sandbox snapshot save --file bug-1234.snapshot"],
  async run(context, { args, options }) {
    const { snapshot } = args;
    const { file } = options;
    if (snapshot === undefined && file === undefined) throw nowhere();
    if (file === "-" && context.stdout.isTerminal) throw onTerminal();
    const control = await requireControl(context, options.name);
    const timeout = SNAPSHOT_PATIENCE;
    const saved =
      snapshot === undefined
        ? null
        : await readControl<SnapshotInfo>(context, control, "takenAt", "POST", pathOf(snapshot), { timeout });
    if (file === "-") {
      const { body } = await askControl(context, control, "GET", pathOf(snapshot ?? NOW), { timeout });
      return { kind: "stream", body: [body], isSecret: true };
    }
    if (file !== undefined) {
      const path = resolve(context.cwd, file);
      await streamControl(context, control, ["GET", pathOf(snapshot ?? NOW), { timeout }], (body) =>
        writeFileAtomically(path, body, { mode: 0o600, signal: context.signal }),
      );
    }
    return {
      kind: "record",
      id: snapshot ?? file ?? null,
      json: { ...saved, ...(file !== undefined && { file }) },
      blocks: [savedCard(saved, file)],
    };
  },
});

const savedCard = (saved: SnapshotInfo | null, file: string | undefined): Card => ({
  kind: "card",
  rows: [
    ...(saved
      ? ([
          ["snapshot", saved.name],
          ["taken at", saved.takenAt],
          ["rows", saved.rows],
        ] as const)
      : []),
    ...(file === undefined ? [] : ([["file", file]] as const)),
  ],
});

const onTerminal = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "secrets_on_terminal",
    "a snapshot has the sandbox's secrets in it: no terminal shows it",
    {
      hint: "name a file, or pipe it on",
    },
  );

const nowhere = (): ClaimsError =>
  new ClaimsError("usage", "no_snapshot", "nothing says where the snapshot should be saved", {
    hint: "give it a name, or a --file",
  });
