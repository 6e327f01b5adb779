import { basename } from "node:path";
import { groupBy } from "../../../../domain/group-by.ts";
import type { Context } from "../../../context.ts";
import { hasUnknownOutcome, type WriteRecord } from "../../../write-log/write-record.ts";
import type { BatchRow } from "./row.ts";

type Groups = ReadonlyMap<string | undefined, readonly WriteRecord[]>;

/** Finds earlier submissions of a row in the batch log and in the write log of this machine, each by its index. */
export class PreviousSubmissions {
  readonly #batchByFile: Groups;
  readonly #machineByContent: Groups;
  readonly #machineByFileSha256: Groups;
  /** Those that no row has taken. */
  readonly #unknown: Set<WriteRecord>;
  readonly #found = new Map<BatchRow, WriteRecord | null>();

  /** Both logs are of the same service. */
  constructor(context: Context, batch: readonly WriteRecord[], machine: readonly WriteRecord[]) {
    this.#batchByFile = groupBy(batch, ({ file }) => file ?? undefined);
    this.#machineByContent = groupBy(machine, ({ content }) => content);
    this.#machineByFileSha256 = groupBy(machine, ({ fileSha256 }) => fileSha256);
    const keys = new Set(batch.map(({ key }) => key));
    this.#unknown = new Set(
      machine.filter((record) => hasUnknownOutcome(record, context) && !keys.has(record.key)),
    );
  }

  /**
   * The submission of the row in the batch log. Otherwise, once, a submission of the same file and content whose outcome is
   * unknown, such as one from a batch log that was deleted: sent again under its key, it cannot happen twice (product.md §4).
   */
  find(row: BatchRow, content: string): WriteRecord | null {
    const found = this.#found.get(row);
    if (found !== undefined) return found;
    const record = this.#search(row, content);
    this.#found.set(row, record);
    return record;
  }

  #search({ logName, path }: BatchRow, content: string): WriteRecord | null {
    const known = this.#findLast(logName, (record) => record.content === content);
    if (known === null) return this.#takeUnknown(basename(path), content);
    if (known.outcome === "accepted") return known;
    const other = this.#listSame(content).find(({ key }) => key === known.key);
    // Either log may lack a record. An acceptance in one log counts, and so does a refusal that both have. What a person
    // records, only the log of the machine has.
    const isBetter = other?.outcome === "accepted" || known.outcome === "refused" || other?.isResolved;
    return other && isBetter ? other : known;
  }

  /** A submission of the row that was accepted with other content. */
  findChanged({ logName }: BatchRow, content: string): WriteRecord | null {
    const other = this.#findLast(logName, (record) => record.content !== content);
    return other?.outcome === "accepted" ? other : null;
  }

  /** The jobs of the row in the batch log. Each supersedes those before it. */
  jobIdsOf({ logName }: BatchRow): readonly string[] {
    return this.#listOf(logName).flatMap(({ jobId }) => jobId ?? []);
  }

  /** The writes of this machine with the same file, or with the same content. */
  machineWritesLike({
    content,
    fileSha256,
  }: Pick<WriteRecord, "content" | "fileSha256">): readonly WriteRecord[] {
    const sameFile = this.#machineByFileSha256.get(fileSha256) ?? [];
    // The first versions did not write the hash of the file.
    return [...this.#listSame(content).filter((record) => record.fileSha256 !== fileSha256), ...sameFile];
  }

  #listOf(logName: string): readonly WriteRecord[] {
    return this.#batchByFile.get(logName) ?? [];
  }

  #listSame(content: string): readonly WriteRecord[] {
    return this.#machineByContent.get(content) ?? [];
  }

  /** Prefers an accepted submission. */
  #findLast(logName: string, matches: (record: WriteRecord) => boolean): WriteRecord | null {
    const found = this.#listOf(logName).filter(matches);
    return found.findLast(({ outcome }) => outcome === "accepted") ?? found.at(-1) ?? null;
  }

  #takeUnknown(fileName: string, content: string): WriteRecord | null {
    const record = this.#listSame(content).find(
      (each) => this.#unknown.has(each) && basename(each.file ?? "") === fileName,
    );
    if (!record) return null;
    this.#unknown.delete(record);
    return record;
  }
}
