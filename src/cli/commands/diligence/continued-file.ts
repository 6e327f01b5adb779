import { createHash } from "node:crypto";
import { formatTime } from "../../../domain/times.ts";
import type { InputFile } from "../../files/input-file.ts";
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
  const isShorter = (record: WriteRecord): record is WriteRecord & { readonly bytes: number } =>
    record.bytes !== null && record.bytes < file.size;
  const shorter = earlier
    .filter(isShorter)
    .slice(0, MAX_SHORTER_FILES)
    .sort((one, other) => one.bytes - other.bytes);
  const longest = shorter.at(-1)?.bytes ?? 0;
  const hash = createHash("sha256");
  let found: WriteRecord | null = null;
  let hashed = 0;
  for await (const chunk of longest > 0 ? file.chunks() : []) {
    const start = hashed;
    const end = start + chunk.length;
    for (const record of shorter.filter(({ bytes }) => bytes > start && bytes <= end)) {
      hash.update(chunk.subarray(hashed - start, record.bytes - start));
      hashed = record.bytes;
      if (hash.copy().digest("hex") === record.fileSha256) found = record;
    }
    if (hashed === longest) break;
    hash.update(chunk.subarray(hashed - start));
    hashed = end;
  }
  return found;
}

export function describeContinuedFile({ displayName }: InputFile, { at, file, jobId }: WriteRecord): string {
  const job = jobId === null ? "" : ` as job ${jobId}`;
  return `${displayName} begins with all of ${file ?? "a file"}, which was submitted at ${formatTime(at)}${job}, so that the claim would count its entries twice`;
}
