import {
  HEAD_BYTES,
  isPrivateKey,
  isUtf16,
  recognizeOtherFile,
} from "../../../domain/entries/csv/file-kind.ts";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import { type ClaimsError, rejectedError, rephraseError } from "../../../domain/errors.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { toShellWord } from "../../../domain/shell.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import type { SubmissionInput } from "./assess-file.ts";
import { notTextTableError } from "./entry-file.ts";
import type { EntryOverlaps } from "./entry-overlaps.ts";
import { findStop, warnAboutFile } from "./file-warnings.ts";
import type { CheckMode } from "./options.ts";
import { hasRejectedRowHeadings, readHeadings, recognizeOwnOutput } from "./own-output.ts";

export interface CheckPolicy {
  readonly check?: CheckMode | undefined;
  /** Whether every warning about the file is printed. */
  readonly isVerbose?: boolean | undefined;
  /** Finds entries that another file has, too. */
  readonly overlaps: EntryOverlaps;
  /** Called with the number of entries of a file that could be read, before it is sent. */
  onEntries?(count: number): void;
}

/**
 * Refuses what is no text table (product.md §4), and a file with a fault that stops a submission (diligence-model §1).
 * Refuses a private key in any mode: one is sent only by mistake.
 *
 * @throws ClaimsError `not_a_text_table`, `check_failed`
 */
export async function checkSubmission(
  context: Context,
  submission: SubmissionInput,
  write: WriteDescription,
  policy: CheckPolicy,
): Promise<void> {
  const head = await readHead(submission.file);
  if (isPrivateKey(head)) {
    const { displayName } = submission.file;
    throw rejectedError("not_a_text_table", `${displayName} is a private key; it was not sent`, {
      hint: "check that it is the right file; a private key is sent in no mode of --check",
    });
  }
  const numbers = policy.check === "off" ? [] : await checkEntries(context, submission, policy, head);
  for (const warning of await policy.overlaps.compare(submission, write, numbers))
    printMessage(context, `warning: ${warning}`);
}

/** Returns the numbers of the accepted entries. */
async function checkEntries(
  context: Context,
  submission: SubmissionInput,
  policy: CheckPolicy,
  head: Uint8Array,
): Promise<readonly string[]> {
  const { displayName } = submission.file;
  const kind = recognizeOtherFile(head);
  if (kind !== null) throw toNotSent(notTextTableError(displayName, kind));
  const ownKind = recognizeOwnOutput(readHeadings(head));
  if (ownKind !== null) {
    const message = `${displayName} is ${ownKind}, not an entry file`;
    throw toNotSent(
      rejectedError("check_failed", message, { hint: "move it out of the folder of entry files" }),
    );
  }
  const { numbers, problem } = await findProblem(context, submission, policy, head);
  if (problem === null) return numbers;
  const message = `${displayName} does not follow the assumed format: ${problem}`;
  const details = `\`claims diligence check ${toShellWord(submission.source)}\` shows the details`;
  if (policy.check === "strict")
    throw rejectedError("check_failed", `${message}; it was not sent`, { hint: details });
  printMessage(context, `warning: ${message}; ${details}`);
  return numbers;
}

const toNotSent = (error: ClaimsError): ClaimsError =>
  rephraseError(error, {
    message: `${error.message}; it was not sent`,
    hint: `${error.hint}; --check off sends it as it is`,
  });

async function readHead(file: InputFile): Promise<Uint8Array> {
  for await (const bytes of file.chunks()) return bytes.subarray(0, HEAD_BYTES);
  return new Uint8Array();
}

/** A file of UTF-16 has NUL bytes, too. */
async function isBinary(file: InputFile, head: Uint8Array): Promise<boolean> {
  if (isUtf16(head)) return false;
  for await (const bytes of file.chunks()) if (bytes.includes(0)) return true;
  return false;
}

interface Findings {
  /** Of the accepted entries; none if the file cannot be read to its end. */
  readonly numbers: readonly string[];
  readonly problem: string | null;
}

async function findProblem(
  context: Context,
  submission: SubmissionInput,
  { isVerbose = false, onEntries }: CheckPolicy,
  head: Uint8Array,
): Promise<Findings> {
  const { file } = submission;
  const { assessFile } = await import("./assess-file.ts");
  const numbers: string[] = [];
  try {
    const { report } = await assessFile(context, submission, {
      onEntry: ({ entryNumber }) => numbers.push(entryNumber),
    });
    const { rejections, totals } = report;
    onEntries?.(totals.entriesSubmitted);
    warnAboutFile(context, file.displayName, report.fileWarnings, isVerbose);
    const stop = findStop(file.displayName, report.fileWarnings);
    if (stop) throw stop;
    const [first] = rejections;
    if (first === undefined) return { numbers, problem: null };
    const line = first.errors[0]?.line ?? first.line;
    const codes = first.errors.flatMap((error) => (error.line === line ? error.code : [])).join(", ");
    const { entriesRejected, entriesSubmitted } = totals;
    // A corrected file of rejected rows may be sent with its columns line, codes and reasons.
    if (entriesRejected > 0 && hasRejectedRowHeadings(readHeadings(head))) {
      const message = `${file.displayName} holds rejected rows that are not corrected`;
      const hint = "correct its rows, or move it out of the folder";
      throw toNotSent(rejectedError("check_failed", message, { hint }));
    }
    const submitted = formatCount(entriesSubmitted, "entry", "entries");
    const problem = `${formatThousands(entriesRejected)} of ${submitted} ${entriesRejected === 1 ? "is" : "are"} rejected, the first on line ${line} (${codes})`;
    return { numbers, problem };
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    if (error.code === "FILE_ENCODING" && (await isBinary(file, head)))
      throw toNotSent(notTextTableError(file.displayName, "a binary file"));
    return { numbers: [], problem: `${error.message.replace(/\.$/, "")} (${error.code})` };
  }
}
