import { createHash } from "node:crypto";
import type { ClassifiedEntry } from "../diligence/classified-entry.ts";
import type { Classification, Grade, Route } from "../diligence/classify.ts";
import { EntryClassifier } from "../diligence/entry-classifier.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";

/** What became of an entry between two scans. `aged`: its data is the same, the days that passed moved it on. */
export const CHANGE_KINDS = ["added", "removed", "changed", "aged"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** How many entries of a kind are named; the others are counted. */
export const MAX_LISTED_CHANGES = 1_000;

/** Enough for two entries of one number: one change in 2⁹⁶ would go unseen. V8 copies so short a slice and lets go of the rest. */
const DIGEST_BYTES = 12;

/** How an entry stands on a day; the deadline is `YYYY-MM-DD`. */
export interface EntryStatus {
  readonly classification: Classification;
  readonly route: Route;
  readonly grade: Grade;
  readonly ieepaDutyCents: number;
  readonly interestCents: number;
  readonly nextDeadline: string | null;
}

export interface EntryChange {
  readonly entryNumber: string;
  /** Which data of the entry is not what it was; empty but for a changed one. */
  readonly changedFields: string[];
  /** Null for one that was not there. */
  readonly before: EntryStatus | null;
  /** Null for one that is no longer there. */
  readonly after: EntryStatus | null;
}

/** Entries by kind of change, the first {@link MAX_LISTED_CHANGES} of each, and how many there are. */
export interface ScanChanges {
  readonly listed: Readonly<Record<ChangeKind, EntryChange[]>>;
  readonly counts: Readonly<Record<ChangeKind | "unchanged", number>>;
}

/**
 * Holds the entries of a portfolio against those of an earlier one. Of the earlier entries only a digest is kept; those
 * that are named are looked at a second time.
 */
export class PortfolioComparison {
  /** Digests of those that have not been found again yet, by entry number. */
  readonly #baselineDigests = new Map<string, string>();
  readonly #classifier: EntryClassifier;
  readonly #counts = { added: 0, removed: 0, changed: 0, aged: 0, unchanged: 0 };
  readonly #added: EntryChange[] = [];
  readonly #aged: EntryChange[] = [];
  /** Those to be named, as they are now; the earlier entry is not known yet. */
  readonly #changed = new Map<string, ClassifiedEntry>();
  readonly #baselineEntries = new Map<string, Entry>();

  /** @param asOf the day of the earlier portfolio */
  constructor(asOf: Day) {
    this.#classifier = new EntryClassifier(asOf);
  }

  /** An entry of the earlier portfolio, each once; all of them come first. */
  addBaselineEntry(entry: Entry): void {
    this.#baselineDigests.set(entry.entryNumber, computeDigest(entry));
  }

  /** An entry of the later portfolio, each once. */
  addCurrentEntry(now: ClassifiedEntry): void {
    const { entry } = now;
    const { entryNumber } = entry;
    const digest = this.#baselineDigests.get(entryNumber);
    this.#baselineDigests.delete(entryNumber);
    if (digest === undefined) {
      const change = { entryNumber, changedFields: [], before: null, after: entryStatusOf(now) };
      this.#recordChange("added", this.#added, change);
    } else if (digest !== computeDigest(entry)) {
      this.#counts.changed += 1;
      if (this.#changed.size < MAX_LISTED_CHANGES) this.#changed.set(entryNumber, now);
    } else this.#compareStatus(now);
  }

  /** When the last entry has been added: what is left of the earlier portfolio was removed. Whether to look back. */
  needsSecondPass(): boolean {
    this.#counts.removed = this.#baselineDigests.size;
    for (const entryNumber of [...this.#baselineDigests.keys()].slice(MAX_LISTED_CHANGES))
      this.#baselineDigests.delete(entryNumber);
    return this.#changed.size + this.#baselineDigests.size > 0;
  }

  /** The entries of the earlier portfolio once more, in the same order. */
  revisitBaselineEntry(entry: Entry): void {
    const { entryNumber } = entry;
    if (this.#changed.has(entryNumber) || this.#baselineDigests.has(entryNumber))
      this.#baselineEntries.set(entryNumber, entry);
  }

  listChanges(): ScanChanges {
    const changed = [...this.#changed].map(([entryNumber, now]) => {
      const entry = this.#findBaselineEntry(entryNumber);
      const before = entryStatusOf(this.#classifier.classify(entry));
      return {
        entryNumber,
        changedFields: listChangedFields(entry, now.entry),
        before,
        after: entryStatusOf(now),
      };
    });
    const removed = [...this.#baselineDigests.keys()].map((entryNumber) => {
      const before = entryStatusOf(this.#classifier.classify(this.#findBaselineEntry(entryNumber)));
      return { entryNumber, changedFields: [], before, after: null };
    });
    return { listed: { added: this.#added, removed, changed, aged: this.#aged }, counts: this.#counts };
  }

  /** The data is what it was, so the entry as it is now tells how it stood on the earlier day. */
  #compareStatus(now: ClassifiedEntry): void {
    const { entryNumber } = now.entry;
    const [before, after] = [entryStatusOf(this.#classifier.classify(now.entry)), entryStatusOf(now)];
    if (hasAged(before, after)) {
      this.#recordChange("aged", this.#aged, { entryNumber, changedFields: [], before, after });
    } else this.#counts.unchanged += 1;
  }

  #recordChange(kind: "added" | "aged", listed: EntryChange[], change: EntryChange): void {
    this.#counts[kind] += 1;
    if (listed.length < MAX_LISTED_CHANGES) listed.push(change);
  }

  #findBaselineEntry(entryNumber: string): Entry {
    const entry = this.#baselineEntries.get(entryNumber);
    if (!entry)
      throw new RangeError("The entries of the earlier portfolio have to be looked at a second time.");
    return entry;
  }
}

const entryStatusOf = (classified: ClassifiedEntry): EntryStatus => ({
  classification: classified.classification,
  route: classified.route,
  grade: classified.grade,
  ieepaDutyCents: classified.entry.ieepaDutyCents,
  interestCents: classified.interestCents,
  nextDeadline: formatOptionalDay(classified.nextDeadline),
});

/** Interest grows every day; that alone moves nothing. */
const hasAged = (before: EntryStatus, after: EntryStatus): boolean =>
  before.classification !== after.classification || before.nextDeadline !== after.nextDeadline;

/** How a file wrote an entry, and where, is no data of it. */
const NOT_COMPARED: ReadonlySet<string> = new Set<keyof Entry>(["line", "warnings", "extra"]);

function listChangedFields(one: Entry, other: Entry): string[] {
  return listComparedFields(one).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

const listComparedFields = (entry: Entry): (keyof Entry)[] =>
  (Object.keys(entry) as (keyof Entry)[]).filter((name) => !NOT_COMPARED.has(name));

/** Of what is compared; two entries that differ have two digests. */
function computeDigest(entry: Entry): string {
  const values = listComparedFields(entry).map((name) => entry[name]);
  return createHash("sha256").update(JSON.stringify(values)).digest("binary").slice(0, DIGEST_BYTES);
}
