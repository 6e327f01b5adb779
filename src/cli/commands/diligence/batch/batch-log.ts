import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { acquireLock } from "../../../files/file-lock.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { isInScope, type WriteScope } from "../../../write-log/scope.ts";
import { CANCELLED_MARK, WriteLog } from "../../../write-log/write-log.ts";
import { toWriteRecords, type WriteRecord } from "../../../write-log/write-record.ts";
import type { BatchSource } from "./row.ts";

/** What a batch has sent in all its runs; a file of the journal's form, beside the manifest or the folder. */
export interface BatchLog {
  readonly log: WriteLog;
  /** Of all that it knows. */
  readonly keys: ReadonlySet<string>;
  /** The last submission of that content under that name; one that was accepted goes before any other. */
  find(name: string, content: string): WriteRecord | null;
  /** A submission under that name that was accepted with other content. */
  findChanged(name: string, content: string): WriteRecord | null;
  release(): Promise<void>;
}

/**
 * Opens a ledger for this process alone.
 *
 * @throws ClaimsError `locked` while another batch holds it
 */
export async function openBatchLog(
  context: Context,
  { path, shownAs }: Pick<BatchSource, "path" | "shownAs">,
  scope: WriteScope,
  chosen: string | undefined,
): Promise<BatchLog> {
  const file = chosen === undefined ? defaultLogPath(path) : resolve(context.cwd, chosen);
  const release = await acquireLock(context, file, 0);
  try {
    await refuseOtherFormat(file);
    const journal = new WriteLog(file, context, {
      name: `the ledger of ${shownAs}`,
      hint: "make it writable, or name another place for it with --ledger",
    });
    const entries = toWriteRecords(await journal.read()).filter((entry) => isInScope(scope, entry));
    const findLast = (fits: (entry: WriteRecord) => boolean) =>
      entries.findLast((entry) => fits(entry) && entry.outcome === "accepted") ??
      entries.findLast(fits) ??
      null;
    return {
      log: journal,
      release,
      keys: new Set(entries.map(({ key }) => key)),
      find: (name, content) => findLast((entry) => entry.file === name && entry.content === content),
      findChanged: (name, content) => {
        const other = findLast((entry) => entry.file === name && entry.content !== content);
        return other?.outcome === "accepted" ? other : null;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

const RECORD_START = '{"type":"';

/** Whoever gives the manifest itself, or an entry file, as the ledger would find records at its end. */
async function refuseOtherFormat(path: string): Promise<void> {
  // What cannot be read is told by whoever reads it as a ledger.
  const text = (await readRegularFile(path).catch(() => null)) ?? "";
  const [beginning = ""] = text.slice(0, RECORD_START.length).split(CANCELLED_MARK);
  if (RECORD_START.startsWith(beginning)) return;
  throw new ClaimsError("usage", "no_ledger", `${path} is no ledger, and is left as it is`, {
    hint: "name a file with --ledger that is not there yet, or the ledger of an earlier run",
  });
}

function defaultLogPath(path: string | null): string {
  if (path !== null) return `${path.replace(/\.csv$/i, "")}.ledger.jsonl`;
  throw new ClaimsError(
    "usage",
    "missing_option",
    "a manifest on stdin has no place for its ledger beside it",
    {
      hint: "name one with --ledger, and the same one when you run it again",
    },
  );
}
