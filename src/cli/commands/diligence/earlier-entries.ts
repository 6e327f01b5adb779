import { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { createLimit } from "../../../domain/limit.ts";
import { formatTime } from "../../../domain/times.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { WriteRecord } from "../../write-log/write-record.ts";

/** 70,000 entries, which are found in half a second. The latest files come first. */
const MAX_BYTES = 16 << 20;

/** A file that was submitted before, and still stands where it was. */
export interface EarlierFile {
  readonly name: string;
  readonly path: string | null;
  /** The numbers of its accepted entries: a rejected one is corrected and comes again. */
  readEntries(): Promise<ReadonlySet<string>>;
}

/** The entries of files that were submitted before. Each is looked at once, when a new file is compared with them. */
export class EarlierEntries {
  readonly #context: Context;
  /** By the letters and digits of what looks like an entry number, the latest file with it. */
  readonly #files = new Map<string, EarlierFile>();
  /** The keys of the submissions whose files were looked at. */
  readonly #keys = new Set<string>();
  #bytes = 0;
  /** Two new files at the same time wait for the same earlier ones. */
  readonly #reading = createLimit(1);

  constructor(context: Context) {
    this.#context = context;
  }

  /** The file that seems to have an entry. Its rows are read only then. */
  find(entryNumber: string): EarlierFile | null {
    return this.#files.get(toToken(entryNumber)) ?? null;
  }

  /**
   * @param records latest first
   * @param newFile is compared with them
   */
  add(records: readonly WriteRecord[], newFile: Pick<InputFile, "path" | "size">): Promise<void> {
    // The export of the day before a large one is large.
    const maxBytes = Math.max(MAX_BYTES, 2 * newFile.size);
    return this.#reading(async () => {
      for (const record of records) {
        const { bytes, key, path } = record;
        const isTooMuch = this.#bytes + (bytes ?? 0) > maxBytes;
        if (this.#keys.has(key) || isTooMuch || path === newFile.path) continue;
        this.#keys.add(key);
        await withUnchangedFile(this.#context, record, (file) => this.#addFile(file, record));
      }
    });
  }

  async #addFile(file: InputFile, record: WriteRecord): Promise<void> {
    const { displayName, path, size } = file;
    let entries: Promise<ReadonlySet<string>> | undefined;
    const readEntries = () => {
      entries ??= readAcceptedEntries(this.#context, record);
      return entries;
    };
    const earlier = { name: `${displayName} (submitted at ${formatTime(record.at)})`, path, readEntries };
    for await (const token of findTokens(file)) if (!this.#files.has(token)) this.#files.set(token, earlier);
    this.#bytes += size;
  }
}

/** Calls nothing if the file is not there any more, or has another size: then it is another one. */
async function withUnchangedFile(
  context: Context,
  { bytes, file: displayName, path }: WriteRecord,
  use: (file: InputFile) => Promise<void>,
): Promise<void> {
  const found = path === undefined ? null : await stat(path).catch(() => null);
  if (path === undefined || !found?.isFile() || found.size !== bytes) return;
  const file = await openInput(context, path, { displayName: displayName ?? path }).catch(() => null);
  if (file !== null) await use(file).finally(file.close);
}

async function readAcceptedEntries(context: Context, record: WriteRecord): Promise<ReadonlySet<string>> {
  const { readEntryNumbers } = await import("./assess-file.ts");
  const entries = new Set<string>();
  await withUnchangedFile(context, record, (file) =>
    readEntryNumbers(context, file, timeToDay(context.now()), (entryNumber) => entries.add(entryNumber)),
  );
  return entries;
}

const TOKEN = /(?<![0-9A-Za-z-])[0-9A-Za-z]{3}-?\d{7}-?\d(?![0-9A-Za-z-])/g;
const MAX_TOKEN_LENGTH = 13;

/** Parsing all rows takes ten times as long. */
async function* findTokens(file: InputFile): AsyncGenerator<string> {
  let end = "";
  for await (const chunk of file.chunks()) {
    // A number may stand across two chunks.
    const text = end + Buffer.from(chunk).toString("latin1");
    for (const [token] of text.matchAll(TOKEN)) yield toToken(token);
    end = text.slice(-MAX_TOKEN_LENGTH - 1);
  }
}

const toToken = (entryNumber: string): string => entryNumber.replaceAll("-", "").toUpperCase();
