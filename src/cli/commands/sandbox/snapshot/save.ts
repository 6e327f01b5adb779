import { Buffer } from "node:buffer";
import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { SNAPSHOT_HEAD } from "../../../../domain/snapshot-format.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { command } from "../../../framework/command.ts";
import { sandboxNameOption } from "../../../framework/options.ts";
import { toCard } from "../../../output/create-blocks.ts";
import { requireControl } from "../../../sandbox-control/control.ts";
import { SNAPSHOT_TIMEOUT_MS as timeoutMs } from "./load.ts";

export const snapshotSave = command({
  name: "snapshot save",
  prints: "SavedSnapshot",
  summary: "save the state of a sandbox under a name in its memory, or as a file for another machine",
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "snapshot", help: "its name; replaces a snapshot of that name", isOptional: true }],
  options: {
    ...sandboxNameOption,
    file: {
      value: "file",
      help: "where to write it, - for stdout; it contains the sandbox's secrets (mode 0600)",
    },
  },
  examples: ["claims sandbox snapshot save before", "claims sandbox snapshot save --file bug-1234.snapshot"],
  async run(context, { args: { snapshot }, options }) {
    const { file } = options;
    if (snapshot === undefined && file === undefined)
      throw usageError("missing_option", "no name for the snapshot given", {
        hint: "give it a name, or a --file",
      });
    if (file === "-" && context.stdout.isTerminal)
      throw usageError("option_conflict", "a snapshot contains the sandbox's secrets", {
        hint: "name a file, or pipe it into a program",
      });
    if (file !== undefined && file !== "-") await refuseForeignFile(context, file);
    const control = await requireControl(context, options);
    const saved =
      snapshot === undefined
        ? null
        : await control.send("POST /snapshots/{name}", "takenAt", { params: { name: snapshot }, timeoutMs });
    const download = { params: { name: snapshot ?? "now" }, timeoutMs };
    if (file === "-") {
      const { body } = await control.fetch("GET /snapshots/{name}", download);
      return { kind: "stream", body: [body], isSecret: true };
    }
    if (file !== undefined)
      await control.stream("GET /snapshots/{name}", download, (body) =>
        writeFileAtomically(resolve(context.cwd, file), body, { mode: 0o600, signal: context.signal }),
      );
    const record = { ...saved, ...(file !== undefined && { file }) };
    const fields = {
      ...(saved && { snapshot: saved.name, "taken at": saved.takenAt, rows: saved.rows }),
      ...(file !== undefined && { file }),
    };
    return {
      kind: "record",
      id: snapshot ?? file ?? null,
      json: record,
      blocks: [toCard("snapshot", fields, { record })],
    };
  },
});

/** A snapshot replaces an earlier one or an empty file, no other. */
async function refuseForeignFile({ cwd }: Context, file: string): Promise<void> {
  const path = resolve(cwd, file);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size === 0) return;
  if ((await readHead(path, SNAPSHOT_HEAD.length)) === SNAPSHOT_HEAD) return;
  throw usageError("snapshot_invalid", `--file would replace ${file}, which is not a snapshot`, {
    hint: "name another file",
  });
}

/** Null if the file cannot be read. */
async function readHead(path: string, length: number): Promise<string | null> {
  const handle = await open(path).catch(() => null);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
