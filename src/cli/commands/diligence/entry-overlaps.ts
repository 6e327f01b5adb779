import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { isSameName } from "../../../domain/diligence/seller-matcher.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import type { Entry } from "../../../domain/entries/entry.ts";
import { createLimit } from "../../../domain/limit.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";
import type { SubmissionInput } from "./assess-file.ts";

/** About 80 MB. Further entries are compared, but not remembered. */
const MAX_REMEMBERED_ENTRIES = 1_000_000;

/** 70,000 entries, which are read in half a second. The latest files come first. */
const MAX_BYTES = 16 << 20;

interface EarlierSubmission {
  readonly kind: "earlier";
  readonly record: WriteRecord;
}

/** Its file may be closed. */
type SubmissionOfRun = Readonly<Awaited<ReturnType<typeof describeOfRun>>>;

/** Where entries were before. */
export type OtherSubmission = EarlierSubmission | SubmissionOfRun;

export interface EarlierFiles {
  /** The earlier submissions whose files may have entries of this one, latest first. */
  readonly earlierFiles: readonly WriteRecord[];
  /** The one with all of whose file this one begins, of which another warning tells. */
  readonly continued: WriteRecord | null;
  /** Whether a submission would be the same, if its entries were: then it is no warning that the file has them. */
  isSame(submission: WriteRecord): boolean;
}

/** Finds entries that are in two files: both of this run, or one that was submitted before, and still stands where it was. */
export class EntryOverlaps {
  readonly #context: Context;
  /** By entry number, the first submission of this run. */
  readonly #ofRun = new Map<string, SubmissionOfRun>();
  /** By the number of an accepted entry, as the latest file of earlier runs has it: a rejected one is corrected and comes again. */
  readonly #ofEarlier = new Map<string, { readonly other: EarlierSubmission; readonly digest: string }>();
  /** By the key of a submission of this run, the one that has all of its entries, unchanged. */
  readonly #repeated = new Map<string, OtherSubmission>();
  /** The keys of the earlier submissions whose files were read. */
  readonly #keys = new Set<string>();
  #bytes = 0;
  /** Two new files at the same time wait for the same earlier ones. */
  readonly #reading = createLimit(1);

  constructor(context: Context) {
    this.#context = context;
  }

  async startFile(submission: SubmissionInput, { continued, earlierFiles, isSame }: EarlierFiles) {
    const { file } = submission;
    await this.#reading(() => this.#readEarlierFiles(earlierFiles, file));
    const own = await describeOfRun(submission);
    const numbers: string[] = [];
    const unchanged = new Map<EarlierSubmission, number>();
    return {
      add: (entry: Entry): void => {
        numbers.push(entry.entryNumber);
        const earlier = this.#ofEarlier.get(entry.entryNumber);
        if (earlier && earlier.digest === digestOf(entry))
          unchanged.set(earlier.other, (unchanged.get(earlier.other) ?? 0) + 1);
      },
      /**
       * For a file that may be sent.
       *
       * @returns a warning about entries that others have; null if there are none, or if the submission is a repeated one
       */
      end: async (): Promise<string | null> => {
        const others = this.#findOthers(numbers, own);
        const [whole] = [...unchanged].find(([, count]) => count === numbers.length) ?? [];
        const repeated =
          whole && isSame(whole.record) ? whole : await this.#findRepeatedOfRun(file, own, others);
        if (repeated) this.#repeated.set(own.key, repeated);
        const named = others.filter((other) => other.kind === "of_run" || other.record !== continued);
        return repeated ? null : describeOverlap(own.name, named);
      },
    };
  }

  /** What has the same entries as a submission of this run, whose file was read to its end. */
  findRepeated(submission: SubmissionInput): OtherSubmission | null {
    return this.#repeated.get(keyOf(submission)) ?? null;
  }

  /** For each entry that others have, the first one. In the same turn, the entries are remembered: of two equal files one is the first. */
  #findOthers(numbers: readonly string[], own: SubmissionOfRun): readonly OtherSubmission[] {
    return numbers.flatMap((number) => {
      const first = this.#ofRun.get(number);
      if (first && first.key !== own.key) return first;
      if (this.#ofRun.size < MAX_REMEMBERED_ENTRIES) this.#ofRun.set(number, own);
      return this.#ofEarlier.get(number)?.other ?? [];
    });
  }

  /** Where one other submission of the run has all entry numbers, both files are read again. */
  async #findRepeatedOfRun(
    file: InputFile,
    own: SubmissionOfRun,
    others: readonly OtherSubmission[],
  ): Promise<OtherSubmission | null> {
    const [other] = others;
    if (other?.kind !== "of_run" || others.some((each) => each !== other)) return null;
    if (own.protestDocs !== other.protestDocs || !isSameName(own.sellerName, other.sellerName)) return null;
    const digests = new Map<string, string>();
    await this.#readEntriesOf(other, (entry) => digests.set(entry.entryNumber, digestOf(entry)));
    let isSame = true;
    await readAccepted(this.#context, file, (entry) => {
      isSame &&= digests.get(entry.entryNumber) === digestOf(entry);
    });
    return isSame ? other : null;
  }

  async #readEarlierFiles(records: readonly WriteRecord[], newFile: InputFile): Promise<void> {
    // The export of the day before a large one is large.
    const maxBytes = Math.max(MAX_BYTES, 2 * newFile.size);
    for (const record of records) {
      const { bytes, key } = record;
      if (this.#keys.has(key) || this.#bytes + (bytes ?? 0) > maxBytes) continue;
      this.#keys.add(key);
      const other = { kind: "earlier", record } as const;
      const isRead = await this.#readEntriesOf(record, (entry) => {
        if (!this.#ofEarlier.has(entry.entryNumber))
          this.#ofEarlier.set(entry.entryNumber, { other, digest: digestOf(entry) });
      });
      if (isRead) this.#bytes += bytes ?? 0;
    }
  }

  /** Reads nothing if the file is not there any more, or if another one has taken its place. */
  async #readEntriesOf(
    { bytes, fileSha256, path }: Pick<WriteRecord, "bytes" | "fileSha256" | "path">,
    onEntry: (entry: Entry) => void,
  ): Promise<boolean> {
    if (path === undefined) return false;
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || found.size !== bytes) return false;
    const file = await openInput(this.#context, path).catch(() => null);
    if (file === null) return false;
    try {
      if ((await file.hash()) !== fileSha256) return false;
      await readAccepted(this.#context, file, onEntry);
      return true;
    } finally {
      await file.close();
    }
  }
}

const keyOf = ({ file, protestDocs, sellerName }: SubmissionInput): string =>
  JSON.stringify([file.path, sellerName, protestDocs]);

async function describeOfRun(submission: SubmissionInput) {
  const { file, protestDocs, sellerName } = submission;
  const { displayName: name, path, size: bytes } = file;
  const fileSha256 = await file.hash();
  return {
    kind: "of_run" as const,
    key: keyOf(submission),
    name,
    path: path ?? undefined,
    bytes,
    fileSha256,
    protestDocs,
    sellerName,
  };
}

async function readAccepted(context: Context, file: InputFile, onEntry: (entry: Entry) => void) {
  const { readEntries } = await import("./assess-file.ts");
  await readEntries(context, file, timeToDay(context.now()), onEntry);
}

/** @param others for each entry that another submission has, which one it is */
function describeOverlap(name: string, others: readonly OtherSubmission[]): string | null {
  const [first, ...more] = new Set(others.map((other) => nameOther(other, name)));
  if (first === undefined) return null;
  const isOne = others.length === 1;
  const places = more.length === 0 ? first : `${first} and ${formatCount(more.length, "other file")}`;
  return `${formatCount(others.length, "entry of", "entries of")} ${name} ${isOne ? "is" : "are"} also in ${places}, so that the claim would count ${isOne ? "it" : "them"} twice`;
}

function nameOther(other: OtherSubmission, name: string): string {
  if (other.kind === "of_run") return other.name === name ? "another submission of it" : other.name;
  const { at, file, path, seller } = other.record;
  return `${file ?? path} (submitted at ${formatTime(at)} for ${seller})`;
}

/** What an entry says, without its place in the file and the columns that are not read. */
function digestOf({ extra: _, line: __, warnings: ___, ...content }: Entry): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64");
}
