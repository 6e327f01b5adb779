import { isPrivateKey, isUtf16, recognizeOtherFile } from "../../../domain/entries/csv/file-kind.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import type { FileWarning } from "../../../domain/entries/file-warnings.ts";
import { type ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { formatCount, formatThousands } from "../../../domain/numbers.ts";
import { toShellWord } from "../../../domain/shell.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import type { EntryOverlaps } from "./batch/entry-overlaps.ts";
import { HEAD_BYTES, notTextTableError, privateKeyError } from "./entry-file.ts";
import type { CheckMode } from "./options.ts";

export interface SubmissionInput {
  readonly file: InputFile;
  /** The path on the command line. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean;
}

interface CheckOptions {
  readonly check?: CheckMode | undefined;
  readonly isVerbose?: boolean | undefined;
  /** Called with the number of entries of a file that could be read. */
  readonly onEntries?: ((count: number) => void) | undefined;
  /** A batch looks for entries that two of its files have. */
  readonly overlaps?: EntryOverlaps | undefined;
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
  options: CheckOptions,
): Promise<void> {
  const { check = "warn" } = options;
  const { displayName } = submission.file;
  const head = await readHead(submission.file);
  if (isPrivateKey(head)) throw privateKeyError(displayName);
  if (check === "off") return;
  const kind = recognizeOtherFile(head) ?? (await recognizeBinary(submission.file, head));
  if (kind !== null) throw notTextTableError(displayName, kind, true);
  const problem = await findProblem(context, submission, options);
  if (problem === null) return;
  const message = `${displayName} does not follow the assumed format: ${problem}`;
  const details = `\`claims diligence check ${toShellWord(submission.source)}\` shows the details`;
  if (check === "strict")
    throw rejectedError("check_failed", `${message}; it was not sent`, { hint: details });
  printMessage(context, `warning: ${message}; ${details}`);
}

async function readHead(file: InputFile): Promise<Uint8Array> {
  for await (const bytes of file.chunks()) return bytes.slice(0, HEAD_BYTES);
  return new Uint8Array();
}

async function recognizeBinary(file: InputFile, head: Uint8Array): Promise<string | null> {
  if (isUtf16(head)) return null;
  for await (const bytes of file.chunks()) if (bytes.includes(0)) return "a binary file";
  return null;
}

async function findProblem(
  context: Context,
  { file, sellerName, protestDocs }: SubmissionInput,
  { isVerbose = false, onEntries, overlaps }: CheckOptions,
): Promise<string | null> {
  const { assessFile } = await import("./assess-file.ts");
  const options = { asOf: timeToDay(context.now()), sellerName, requiresProtestDocumentation: protestDocs };
  try {
    const overlap = overlaps?.startFile(file.displayName);
    const { report } = await assessFile(context, file, options, overlap?.add);
    const { rejections, totals } = report;
    onEntries?.(totals.entriesSubmitted);
    warnAboutFile(context, file.displayName, report.fileWarnings, isVerbose);
    const stop = findStop(file.displayName, report.fileWarnings);
    if (stop) throw stop;
    const repeated = overlap?.warning() ?? null;
    if (repeated !== null) printMessage(context, `warning: ${repeated}`);
    const [first] = rejections;
    if (first === undefined) return null;
    const line = first.errors[0]?.line ?? first.line;
    const codes = first.errors.flatMap((error) => (error.line === line ? error.code : [])).join(", ");
    const { entriesRejected, entriesSubmitted } = totals;
    const submitted = formatCount(entriesSubmitted, "entry", "entries");
    return `${formatThousands(entriesRejected)} of ${submitted} ${entriesRejected === 1 ? "is" : "are"} rejected, the first on line ${line} (${codes})`;
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    return `${error.message.replace(/\.$/, "")} (${error.code})`;
  }
}

/** Whether a warning may mean that the claim is wrong. A second heading, or one that is not read, may decide a route. */
const isUrgent = ({ code, columns, important, severity, similar }: FileWarning): boolean =>
  severity === "stop" ||
  ["AMOUNTS_IMPLAUSIBLE", "COLUMN_TWICE", "IEEPA_ROWS_ABSENT", "ROWS_REPEATED"].includes(code) ||
  (code === "NO_FINAL_LINE_END" && columns !== undefined) ||
  important !== undefined ||
  similar !== undefined;

/** Prints the warnings about an entry file on stderr. The others than those that may change the claim only with `-v`. */
export function warnAboutFile(
  context: Context,
  displayName: string,
  warnings: readonly FileWarning[],
  verbose = false,
): void {
  for (const warning of warnings) {
    if (!verbose && !isUrgent(warning)) continue;
    printMessage(context, `warning: ${displayName}: ${describe(warning, verbose)} (${warning.code})`);
  }
}

/** Unknown headings that are close to a known one, or may decide a route, matter; a broker's own columns do not. */
function describe({ detail, important = [], similar = [] }: FileWarning, verbose: boolean): string {
  const names = new Map(important.map((heading) => [heading, `"${heading}"`]));
  for (const { heading, closest } of similar) names.set(heading, `"${heading}" (did you mean "${closest}"?)`);
  return verbose || names.size === 0 ? detail : `No column is read from ${[...names.values()].join(", ")}.`;
}

/** The failure of `check` for a file that `submit` would not send; the warnings above it say why. */
export function findStop(displayName: string, warnings: readonly FileWarning[]): ClaimsError | undefined {
  const codes = warnings.flatMap(({ code, severity }) => (severity === "stop" ? [code] : []));
  if (codes.length === 0) return undefined;
  return rejectedError(
    "check_failed",
    `${displayName} may be read wrong (${[...new Set(codes)].join(", ")})`,
    {
      hint: "correct the file as the lines above say; `submit --check off` sends it as it is",
    },
  );
}
