import { basename } from "node:path";
import type { Context } from "../../../context.ts";
import { hasUnknownOutcome, type WriteRecord } from "../../../write-log/write-record.ts";
import type { BatchRow } from "./row.ts";

/** Finds earlier submissions of a row in the batch log and in the write log of this machine. */
export class PreviousSubmissions {
  readonly #batch: readonly WriteRecord[];
  readonly #machine: readonly WriteRecord[];
  readonly #unknown: Set<WriteRecord>;
  readonly #found = new Map<BatchRow, WriteRecord | null>();

  /** Both logs are of the same service. */
  constructor(context: Context, batch: readonly WriteRecord[], machine: readonly WriteRecord[]) {
    this.#batch = batch;
    this.#machine = machine;
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
    const known = this.#findLast((record) => record.file === logName && record.content === content);
    if (known === null) return this.#takeUnknown(basename(path), content);
    if (known.outcome === "accepted") return known;
    const other = this.#machine.find((record) => record.key === known.key && record.content === content);
    // Either log may lack a record. An acceptance in one log counts, and so does a refusal that both have. What a person
    // records, only the log of the machine has.
    const isBetter = other?.outcome === "accepted" || known.outcome === "refused" || other?.isResolved;
    return other && isBetter ? other : known;
  }

  /** A submission of the row that was accepted with other content. */
  findChanged({ logName }: BatchRow, content: string): WriteRecord | null {
    const other = this.#findLast((record) => record.file === logName && record.content !== content);
    return other?.outcome === "accepted" ? other : null;
  }

  /** The jobs of the row in the batch log. Each supersedes those before it. */
  jobIdsOf({ logName }: BatchRow): readonly string[] {
    return this.#batch.flatMap(({ file, jobId }) => (file === logName && jobId !== null ? [jobId] : []));
  }

  /** The writes of this machine. */
  get machine(): readonly WriteRecord[] {
    return this.#machine;
  }

  /** Prefers an accepted submission. */
  #findLast(matches: (record: WriteRecord) => boolean): WriteRecord | null {
    const found = this.#batch.filter(matches);
    return found.findLast(({ outcome }) => outcome === "accepted") ?? found.at(-1) ?? null;
  }

  #takeUnknown(fileName: string, content: string): WriteRecord | null {
    for (const record of this.#unknown) {
      if (record.content !== content || basename(record.file ?? "") !== fileName) continue;
      this.#unknown.delete(record);
      return record;
    }
    return null;
  }
}
