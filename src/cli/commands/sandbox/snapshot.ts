import { resolve } from "node:path";
import type { RestoredState } from "../../../../sandbox/index.ts";
import { usageError } from "../../../domain/errors.ts";
import { updateLocatorCredentials } from "../../connection/locator.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { openInput } from "../../files/input-file.ts";
import { type RecordOutput, toCardOutput, toListOutput } from "../../output/output.ts";
import type { ControlClient } from "../../sandbox-control/control.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";
import { renderClock } from "./clock.ts";

/** A snapshot may be large, and the sandbox finishes running work first. */
const SNAPSHOT_TIMEOUT_MS = 5 * 60_000;

const snapshotLoad = defineControlCommand({
  name: "snapshot load",
  prints: "RestoredSandbox",
  summary: "restore a snapshot of a sandbox; its faults and its request log stay",
  output: "record",
  arguments: [{ name: "snapshot", help: "its name", isOptional: true }],
  options: {
    file: { value: "file", help: "a file that `snapshot save --file` wrote; - reads stdin" },
  },
  examples: ["claims sandbox snapshot load before", "claims sandbox snapshot load --file bug-1234.snapshot"],
  async run(context, { args: { snapshot }, options, onEnd }, control) {
    if ((snapshot === undefined) === (options.file === undefined))
      throw usageError("missing_option", "give either the name of a snapshot or a --file", {
        hint: "`claims sandbox snapshot list` shows the names",
      });
    const timeoutMs = SNAPSHOT_TIMEOUT_MS;
    if (snapshot !== undefined) {
      const input = { params: { name: snapshot }, timeoutMs };
      const restored = await control.send("POST /snapshots/{name}/load", "clock", input);
      return renderRestored(context, control, `snapshot "${snapshot}"`, restored);
    }
    const file = await openInput(context, options.file ?? "");
    onEnd(() => file.close());
    const restored = await control.send("PUT /state", "clock", { file, timeoutMs });
    return renderRestored(context, control, file.displayName, restored);
  },
});

/** Shows the restored state, and stores its credentials for other commands. */
async function renderRestored(
  context: Context,
  control: ControlClient,
  source: string,
  { clock, credentials }: RestoredState,
): Promise<RecordOutput> {
  await updateLocatorCredentials(context, control.target.url, () => credentials);
  const restored = { kind: "paragraph", lines: [`Restored ${source}.`] } as const;
  return { kind: "record", json: { clock }, blocks: [restored, ...renderClock(clock).blocks] };
}

const snapshotSave = defineControlCommand({
  name: "snapshot save",
  prints: "SavedSnapshot",
  summary: "save the state of a sandbox under a name in its memory, or as a file for another machine",
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "snapshot", help: "its name; replaces a snapshot of that name", isOptional: true }],
  options: {
    file: {
      value: "file",
      help: "where to write it, - for stdout; it contains the sandbox's secrets (mode 0600)",
    },
  },
  examples: ["claims sandbox snapshot save before", "claims sandbox snapshot save --file bug-1234.snapshot"],
  async run(context, { args: { snapshot }, options }, control) {
    const { file } = options;
    const timeoutMs = SNAPSHOT_TIMEOUT_MS;
    if (snapshot === undefined && file === undefined)
      throw usageError("missing_option", "no name for the snapshot given", {
        hint: "give it a name, or a --file",
      });
    if (file === "-" && context.stdout.isTerminal)
      throw usageError("option_conflict", "a snapshot contains the sandbox's secrets", {
        hint: "name a file, or pipe it into a program",
      });
    const saved =
      snapshot === undefined
        ? null
        : await control.send("POST /snapshots/{name}", "takenAt", { params: { name: snapshot }, timeoutMs });
    const download = { params: { name: snapshot ?? "now" }, timeoutMs };
    if (file === "-") {
      const { body } = await control.fetch("GET /snapshots/{name}", download);
      return { kind: "stream", body: [body], isSecret: true };
    }
    if (file !== undefined) {
      const body = control.stream("GET /snapshots/{name}", download);
      await writeFileAtomically(resolve(context.cwd, file), body, { mode: 0o600, signal: context.signal });
    }
    const record = { ...saved, ...(file !== undefined && { file }) };
    const fields = {
      ...(saved && { snapshot: saved.name, "taken at": saved.takenAt, rows: saved.rows }),
      ...(file !== undefined && { file }),
    };
    return toCardOutput("snapshot", { id: snapshot ?? file ?? null, record, fields });
  },
});

const snapshotList = defineControlCommand({
  name: "snapshot list",
  prints: "GET /snapshots",
  summary: "list the snapshots in a sandbox's memory",
  output: "list",
  quietPrints: "names",
  examples: ["claims sandbox snapshot list", "claims sandbox snapshot list -q"],
  run: async (_context, _invocation, control) =>
    toListOutput({
      items: await control.list("GET /snapshots"),
      columns: [
        { name: "name", isId: true },
        { name: "takenAt", title: "taken at" },
        { name: "rows", align: "right" },
      ],
      emptyMessage: "no snapshot",
    }),
});

const reset = defineControlCommand({
  name: "reset",
  prints: "RestoredSandbox",
  summary: "restore a sandbox's seeded state; clears its faults and its request log",
  output: "record",
  examples: ["claims sandbox reset", "claims sandbox reset && claims sandbox snapshot load before"],
  async run(context, _, control) {
    const restored = await control.send("POST /reset", "clock", { timeoutMs: SNAPSHOT_TIMEOUT_MS });
    return renderRestored(context, control, "the seeded state", restored);
  },
});

export const snapshotCommands = [reset, snapshotSave, snapshotLoad, snapshotList];
