import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { isSameName } from "../../../domain/diligence/seller-matcher.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import type { Entry } from "../../../domain/entries/entry.ts";
import { createLimit } from "../../../domain/limit.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import type { WriteDescription } from "../../write-log/describe-write.ts";
import type { LoggedWrites } from "../../write-log/logged-writes.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";
import type { SubmissionInput } from "./assess-file.ts";
import { describeContinuedFile, findContinuedFile } from "./continued-file.ts";
import { hashSubmission } from "./describe-submission.ts";
import { FolderFiles, openSameFile } from "./folder-files.ts";

/** About 80 MB. Further entries are compared, but not remembered. */
const MAX_REMEMBERED_ENTRIES = 1_000_000;

/** 70,000 entries, which are read in half a second. The latest files come first. */
const MAX_BYTES = 16 << 20;

/** Where entries were before. */
export interface OtherSubmission {
  readonly write: WriteDescription;
  /** Of an earlier run, which accepted it; null for a submission of this run, whose file may be closed. */
  readonly record: WriteRecord | null;
  /** Where its file is; undefined for a pipe. */
  readonly path: string | undefined;
}

/** Finds entries that are in two files: both of this run, or one that was submitted before, and is in the folder of the new one. */
export class EntryOverlaps {
  readonly #context: Context;
  readonly #writes: LoggedWrites;
  // By the number of an accepted entry: a rejected one is corrected and comes again.
  /** The first submission of this run. */
  readonly #ofRun = new Map<string, OtherSubmission>();
  /** The latest submission of earlier runs. */
  readonly #ofEarlier = new Map<string, OtherSubmission>();
  /** By content, the submission that a compared one repeats; null for none. */
  readonly #repeated = new Map<string, OtherSubmission | null>();
  /** The keys of the earlier submissions whose files were read. */
  readonly #keys = new Set<string>();
  #bytes = 0;
  readonly #folders = new Map<string, Promise<FolderFiles>>();
  /** One file after the other: of two equal ones, one is the first, and both need the same earlier ones. */
  readonly #comparing = createLimit(1);

  /** @param writes have the earlier submissions */
  constructor(context: Context, writes: LoggedWrites) {
    this.#context = context;
    this.#writes = writes;
  }

  /**
   * Compares a file that may be sent with those before it, once.
   *
   * @param numbers of its accepted entries; none if it was not read
   * @returns warnings about entries that others have; none if the submission repeats another
   */
  compare(
    submission: SubmissionInput,
    write: WriteDescription,
    numbers: readonly string[],
  ): Promise<readonly string[]> {
    return this.#comparing(async () => {
      if (this.#repeated.has(write.content)) return [];
      const { file } = submission;
      const all = await this.#writes.listEarlierFiles(write);
      const earlier = all.filter(({ content }) => content !== write.content);
      const continued = await findContinuedFile(file, earlier);
      if (numbers.length > 0) await this.#readEarlierFiles(earlier, file);
      const repeated =
        findSameFile(submission, write, earlier) ??
        (await this.#findSameEntries(submission, numbers, this.#ofRun)) ??
        (await this.#findSameEntries(submission, numbers, this.#ofEarlier));
      this.#repeated.set(write.content, repeated);
      if (repeated) return [];
      const others = numbers.flatMap(
        (number) => this.#ofRun.get(number) ?? this.#ofEarlier.get(number) ?? [],
      );
      this.#remember(numbers, { write, record: null, path: write.path });
      const overlapping = others.filter(({ record }) => record === null || record !== continued);
      return [
        ...describeOverlap(file.displayName, overlapping),
        ...(continued ? [describeContinuedFile(file, continued)] : []),
      ];
    });
  }

  /** The submission that a compared one repeats in another form, or with another spelling of the seller. */
  findRepeated({ content }: WriteDescription): OtherSubmission | null {
    return this.#repeated.get(content) ?? null;
  }

  #remember(numbers: readonly string[], own: OtherSubmission): void {
    for (const number of numbers)
      if (!this.#ofRun.has(number) && this.#ofRun.size < MAX_REMEMBERED_ENTRIES) this.#ofRun.set(number, own);
  }

  /** Where one other submission has all entry numbers, both files are read again. */
  async #findSameEntries(
    submission: SubmissionInput,
    numbers: readonly string[],
    submissions: ReadonlyMap<string, OtherSubmission>,
  ): Promise<OtherSubmission | null> {
    const others = numbers.flatMap((number) => submissions.get(number) ?? []);
    const [other] = others;
    const isWhole = others.length === numbers.length && others.every((each) => each === other);
    if (!other || !isWhole || !isSameForm(submission, other.write)) return null;
    const digests = new Map<string, string>();
    const file = other.path === undefined ? null : await openSameFile(this.#context, other.path, other.write);
    if (file)
      await readAndClose(this.#context, file, (entry) => digests.set(entry.entryNumber, digestOf(entry)));
    let isSame = true;
    await readAccepted(this.#context, submission.file, (entry) => {
      isSame &&= digests.get(entry.entryNumber) === digestOf(entry);
    });
    return isSame ? other : null;
  }

  /** An export stands in the folder of those before it: the files of other folders are not read. */
  async #readEarlierFiles(records: readonly WriteRecord[], newFile: InputFile): Promise<void> {
    if (newFile.path === null || records.length === 0) return;
    const files = await this.#listFolder(dirname(newFile.path));
    // The export of the day before a large one is large.
    const maxBytes = Math.max(MAX_BYTES, 2 * newFile.size);
    for (const record of records) {
      const { bytes, key } = record;
      if (bytes === null || this.#keys.has(key) || this.#bytes + bytes > maxBytes) continue;
      const file = await files.open(record);
      if (file === null) continue;
      this.#keys.add(key);
      this.#bytes += bytes;
      const other = { write: record, record, path: file.path ?? undefined };
      await readAndClose(this.#context, file, ({ entryNumber }) => {
        if (!this.#ofEarlier.has(entryNumber)) this.#ofEarlier.set(entryNumber, other);
      });
    }
  }

  #listFolder(folder: string): Promise<FolderFiles> {
    const files = this.#folders.get(folder) ?? FolderFiles.list(this.#context, folder);
    this.#folders.set(folder, files);
    return files;
  }
}

function findSameFile(
  submission: SubmissionInput,
  { fileSha256 }: WriteDescription,
  earlier: readonly WriteRecord[],
): OtherSubmission | null {
  const same = earlier.find((record) => record.fileSha256 === fileSha256 && isSameForm(submission, record));
  return same ? { write: same, record: same, path: same.path } : null;
}

/** Whether two submissions are the same but for the spelling of the seller, and the bytes of the files. */
const isSameForm = (
  { protestDocs, sellerName }: SubmissionInput,
  { content, fileSha256 = "", seller }: WriteDescription,
): boolean =>
  seller !== null &&
  isSameName(seller, sellerName) &&
  content === hashSubmission({ protestDocs, sellerName: seller }, fileSha256);

async function readAccepted(context: Context, file: InputFile, onEntry: (entry: Entry) => void) {
  const { readEntries } = await import("./assess-file.ts");
  await readEntries(context, file, timeToDay(context.now()), onEntry);
}

async function readAndClose(context: Context, file: InputFile, onEntry: (entry: Entry) => void) {
  try {
    await readAccepted(context, file, onEntry);
  } finally {
    await file.close();
  }
}

/** @param others for each entry that another submission has, which one it is */
function describeOverlap(name: string, others: readonly OtherSubmission[]): readonly string[] {
  const [first, ...more] = new Set(others.map((other) => nameOther(other, name)));
  if (first === undefined) return [];
  const isOne = others.length === 1;
  const places = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
  return [
    `${formatCount(others.length, "entry of", "entries of")} ${name} ${isOne ? "is" : "are"} also in ${places}, so that the claim would count ${isOne ? "it" : "them"} twice`,
  ];
}

function nameOther({ record, write: { file, path, seller } }: OtherSubmission, name: string): string {
  const other = file ?? path ?? "another file";
  if (record) return `${other} (submitted at ${formatTime(record.at)} for ${seller})`;
  return other === name ? "another submission of it" : other;
}

/** What an entry says, without its place in the file and the columns that are not read. */
function digestOf({ extra: _, line: __, warnings: ___, ...content }: Entry): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64");
}
