import { createHash } from "node:crypto";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";

/** Each is a hash to compare; the export of the night before is among the latest. */
const MAX_SHORTER_FILES = 100;

/**
 * An export of the month to date has all rows of the day before, and new ones below them: its entries are claimed twice.
 *
 * @param earlier latest first
 * @returns the submission of the longest file with which this one begins
 */
export async function findContinuedFile(
  file: InputFile,
  earlier: readonly WriteRecord[],
): Promise<WriteRecord | null> {
  const shorter = earlier.filter(({ bytes }) => bytes !== null && bytes < file.size);
  return shorter.length === 0 ? null : findBeginning(file, shorter.slice(0, MAX_SHORTER_FILES));
}

export function warnAboutContinuedFile(context: Context, file: InputFile, found: WriteRecord): void {
  const job = found.jobId === null ? "" : ` as job ${found.jobId}`;
  printMessage(
    context,
    `warning: ${file.displayName} begins with all of ${found.file ?? "a file"}, which was submitted at ${formatTime(found.at)}${job}, so that the claim would count its entries twice`,
  );
}

/** The longest of the files with which the file begins. */
async function findBeginning(file: InputFile, earlier: readonly WriteRecord[]): Promise<WriteRecord | null> {
  const inOrder = earlier.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const hash = createHash("sha256");
  let found: WriteRecord | null = null;
  let hashed = 0;
  let next = 0;
  for await (const chunk of file.chunks()) {
    const chunkStart = hashed;
    const chunkEnd = chunkStart + chunk.length;
    const hashUntil = (end: number) => {
      hash.update(chunk.subarray(hashed - chunkStart, end - chunkStart));
      hashed = end;
    };
    for (let record = inOrder[next]; record && sizeOf(record) <= chunkEnd; record = inOrder[next]) {
      hashUntil(sizeOf(record));
      if (hash.copy().digest("hex") === record.fileSha256) found = record;
      next += 1;
    }
    hashUntil(chunkEnd);
    if (next === inOrder.length) break;
  }
  return found;
}

const sizeOf = ({ bytes }: WriteRecord): number => bytes ?? 0;
