import { basename } from "node:path";
import type { Context } from "../../../context.ts";
import { hasUnknownOutcome, type WriteRecord } from "../../../write-log/write-record.ts";
import type { BatchLog } from "./batch-log.ts";
import type { BatchRow } from "./row.ts";

/** What is known of the rows of a batch from before: by its ledger, and by the journal of this machine. */
export class PreviousSubmissions {
  readonly #ledger: BatchLog | null;
  readonly #entries: readonly WriteRecord[];
  readonly #doubts: Set<WriteRecord>;

  /** @param entries of the journal of this machine, for the same service */
  constructor(context: Context, ledger: BatchLog | null, entries: readonly WriteRecord[]) {
    this.#ledger = ledger;
    this.#entries = entries;
    this.#doubts = new Set(
      entries.filter((entry) => hasUnknownOutcome(entry, context) && !ledger?.keys.has(entry.key)),
    );
  }

  /**
   * The submission of that row that the ledger knows; or else, once, one of the same file and content that is in doubt on
   * this machine, such as by a ledger that is gone: sent again under its key, it cannot happen twice (product.md §4).
   */
  find(row: BatchRow, content: string): WriteRecord | null {
    const known = this.#ledger?.find(row.logName, content) ?? null;
    if (known === null) return this.#doubtAbout(row, content);
    if (known.outcome === "accepted") return known;
    const here = this.#entries.find((entry) => entry.key === known.key && entry.content === content);
    // Either may lack a record; an acceptance is beyond doubt, and a refusal settles what both have seen whole.
    return here && (here.outcome === "accepted" || known.outcome === "refused") ? here : known;
  }

  /** Other writes of that content, whatever became of them. */
  withContent(content: string): readonly WriteRecord[] {
    return this.#entries.filter((entry) => entry.content === content);
  }

  #doubtAbout({ path }: BatchRow, content: string): WriteRecord | null {
    for (const entry of this.#doubts) {
      if (entry.content !== content || basename(entry.file ?? "") !== basename(path)) continue;
      this.#doubts.delete(entry);
      return entry;
    }
    return null;
  }
}
