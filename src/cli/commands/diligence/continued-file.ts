import { createHash } from "node:crypto";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import { printMessage } from "../../output/stderr.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";

/** An export of the month to date has all rows of the day before, and new ones below them: its entries are claimed twice. */
export async function warnAboutContinuedFile(
  context: Context,
  file: InputFile,
  write: WriteDescription,
  writes: LoggedWrites,
): Promise<void> {
  const earlier = await writes.listShorterFiles(write);
  const found = earlier.length === 0 ? null : await findBeginning(file, earlier);
  if (found === null) return;
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
