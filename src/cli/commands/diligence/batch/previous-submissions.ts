import { groupBy } from "../../../../domain/group-by.ts";
import type { Context } from "../../../context.ts";
import { hasUnknownOutcome, isInFlight, type WriteRecord } from "../../../write-log/write-record.ts";
import type { BatchRow } from "./row.ts";

/** Finds earlier submissions of a row in the batch log, and those with unknown outcome in the write log of this machine. */
export class PreviousSubmissions {
  readonly #context: Context;
  readonly #batchByFile: ReadonlyMap<string | undefined, readonly WriteRecord[]>;
  readonly #batchKeys: ReadonlySet<string>;
  /** The row that took a write of the machine, by its key. */
  readonly #takenBy = new Map<string, BatchRow>();

  constructor(context: Context, batch: readonly WriteRecord[]) {
    this.#context = context;
    this.#batchByFile = groupBy(batch, ({ file }) => file ?? undefined);
    this.#batchKeys = new Set(batch.map(({ key }) => key));
  }

  /**
   * The submission of the row in the batch log. Otherwise a submission of the same content whose outcome is unknown, such as
   * one from a batch log that was deleted: sent again under its key, it cannot happen twice (product.md §4).
   *
   * @param machine the writes of this machine, with those of this run
   */
  find(row: BatchRow, content: string, machine: readonly WriteRecord[]): WriteRecord | null {
    const known = this.#findLast(row, (record) => record.content === content);
    const same = machine.filter((record) => record.content === content);
    if (known === null) return this.#takeUnknown(row, same);
    if (known.outcome === "accepted") return known;
    const other = same.find(({ key }) => key === known.key);
    // Either log may lack a record. An acceptance in one log counts, and so does a refusal that both have. What a person
    // records, only the log of the machine has.
    const isBetter = other?.outcome === "accepted" || known.outcome === "refused" || other?.isResolved;
    return other && isBetter ? other : known;
  }

  /** A submission of the row that was accepted with other content. */
  findChanged(row: BatchRow, content: string): WriteRecord | null {
    const other = this.#findLast(row, (record) => record.content !== content);
    return other?.outcome === "accepted" ? other : null;
  }

  /** The jobs of the row in the batch log. Each supersedes those before it. */
  jobIdsOf({ logName }: BatchRow): readonly string[] {
    return (this.#batchByFile.get(logName) ?? []).flatMap(({ jobId }) => jobId ?? []);
  }

  /** Prefers an accepted submission. */
  #findLast({ logName }: BatchRow, matches: (record: WriteRecord) => boolean): WriteRecord | null {
    const found = (this.#batchByFile.get(logName) ?? []).filter(matches);
    return found.findLast(({ outcome }) => outcome === "accepted") ?? found.at(-1) ?? null;
  }

  /** Of two rows with equal files, the first one takes it. */
  #takeUnknown(row: BatchRow, same: readonly WriteRecord[]): WriteRecord | null {
    const context = this.#context;
    const isFree = (record: WriteRecord) =>
      (this.#takenBy.get(record.key) ?? row) === row &&
      !this.#batchKeys.has(record.key) &&
      hasUnknownOutcome(record, context) &&
      !isInFlight(record, context);
    const record = same.find(isFree) ?? null;
    if (record) this.#takenBy.set(record.key, row);
    return record;
  }
}
