import { Assessment } from "../../../domain/diligence/assessment.ts";
import { FileCheck } from "../../../domain/entries/csv/file-check.ts";
import { type Day, timeToDay } from "../../../domain/entries/dates.ts";
import type { Entry } from "../../../domain/entries/entry.ts";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import { EntryFileReader } from "../../../domain/entries/entry-file-reader.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { startProgress } from "../../output/progress.ts";

export interface SubmissionInput {
  readonly file: InputFile;
  /** The path on the command line. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean;
}

/** Small, so that the texts and entries of a piece are gone before they cost the garbage collector more than their rows. */
const PIECE_BYTES = 1 << 16;

interface AssessOptions {
  /** Default: today. */
  readonly asOf?: Day | undefined;
  /** Gets each accepted entry. */
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

/**
 * Reads it twice, as the sandbox does, and a third time if rows may repeat others (diligence-model §1).
 *
 * @throws EntryFileError
 */
export async function assessFile(
  context: Context,
  { file, protestDocs: requiresProtestDocumentation, sellerName }: Omit<SubmissionInput, "source">,
  { asOf = timeToDay(context.now()), onEntry = () => {} }: AssessOptions = {},
) {
  const { displayName } = file;
  const progress = startProgress(context.stderr, `reading ${displayName}`);
  const options = { asOf, sellerName, requiresProtestDocumentation };
  const assessment = new Assessment(options, ({ entry }) => onEntry(entry));
  try {
    const check = new FileCheck();
    for await (const bytes of file.chunks()) {
      check.push(bytes);
      context.signal.throwIfAborted();
    }
    check.end();
    for await (const piece of readPieces(file)) {
      assessment.push(piece);
      progress.update(`${displayName}: ${formatCount(assessment.progress.rowsProcessed, "row")}`);
      context.signal.throwIfAborted();
    }
    for (const _ of assessment.finish()) context.signal.throwIfAborted();
    const comparison = assessment.startSecondPass();
    if (comparison !== null) {
      for await (const piece of readPieces(file)) {
        comparison.push(piece);
        context.signal.throwIfAborted();
      }
      comparison.end();
    }
    return { report: assessment.report(), rejectedGroups: assessment.rejectedGroups() };
  } finally {
    progress.stop();
  }
}

/** Passes the accepted entries. Those before a fault of the file count, too. */
export async function readEntries(
  { signal }: Context,
  file: InputFile,
  asOf: Day,
  onEntry: (entry: Entry) => void,
): Promise<void> {
  const reader = new EntryFileReader({ asOf, onEntry });
  try {
    for await (const piece of readPieces(file)) {
      reader.push(piece);
      signal.throwIfAborted();
    }
    reader.end();
    for (const entry of reader.groupedEntries()) onEntry(entry);
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
  }
}

async function* readPieces(file: InputFile): AsyncGenerator<Uint8Array> {
  for await (const bytes of file.chunks())
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
