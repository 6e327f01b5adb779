import { resolve } from "node:path";
import type { SnapshotInfo } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { command } from "../../../framework/command.ts";
import type { Card } from "../../../output/output.ts";
import { readControl, requireControl, sendControl, streamControl } from "../../../sandbox-control/control.ts";
import { sandboxNameOption } from "../options.ts";
import { SNAPSHOT_TIMEOUT_MS, snapshotPath } from "./load.ts";

/** The name by which the control API knows the present state. */
const PRESENT_STATE = "now";

export const snapshotSave = command({
  name: "snapshot save",
  summary: "save the state of a sandbox: under a name in its memory, or as a file for another machine",
  remote: false,
  output: "record",
  arguments: [
    { name: "snapshot", help: "what to call it, in the place of one that is called so", isOptional: true },
  ],
  options: {
    ...sandboxNameOption,
    file: {
      value: "file",
      help: "where to write it, - for stdout; it has the sandbox's secrets in it (mode 0600)",
    },
  },
  examples: ["claims sandbox snapshot save before", "claims sandbox snapshot save --file bug-1234.snapshot"],
  async run(context, { args, options }) {
    const { snapshot } = args;
    const { file } = options;
    if (snapshot === undefined && file === undefined) throw missingDestination();
    if (file === "-" && context.stdout.isTerminal) throw refuseTerminal();
    const control = await requireControl(context, options.name);
    const timeout = SNAPSHOT_TIMEOUT_MS;
    const saved =
      snapshot === undefined
        ? null
        : await readControl<SnapshotInfo>(context, control, "takenAt", "POST", snapshotPath(snapshot), {
            timeoutMs: timeout,
          });
    if (file === "-") {
      const { body } = await sendControl(context, control, "GET", snapshotPath(snapshot ?? PRESENT_STATE), {
        timeoutMs: timeout,
      });
      return { kind: "stream", body: [body], isSecret: true };
    }
    if (file !== undefined) {
      const path = resolve(context.cwd, file);
      await streamControl(
        context,
        control,
        ["GET", snapshotPath(snapshot ?? PRESENT_STATE), { timeoutMs: timeout }],
        (body) => writeFileAtomically(path, body, { mode: 0o600, signal: context.signal }),
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

const refuseTerminal = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "secrets_on_terminal",
    "a snapshot has the sandbox's secrets in it: no terminal shows it",
    {
      hint: "name a file, or pipe it on",
    },
  );

const missingDestination = (): ClaimsError =>
  new ClaimsError("usage", "no_snapshot", "nothing says where the snapshot should be saved", {
    hint: "give it a name, or a --file",
  });
