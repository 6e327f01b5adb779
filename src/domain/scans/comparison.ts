import type { Classification, Grade, Route } from "../diligence/classify.ts";
import { type ClassifiedEntry, createClassifier } from "../diligence/entry-classifier.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import { ENTRY_FIELDS, type Entry, type EntryField } from "../entries/entry.ts";

/** How entries change between two scans. `aged`: the data is the same, but the days that passed changed the status. */
export const CHANGE_KINDS = ["added", "removed", "changed", "aged"] as const;

type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The number of entries of a kind that are listed. The others are counted. */
export const MAX_LISTED_CHANGES = 1_000;

/** The status of an entry on a day. The deadline is `YYYY-MM-DD`. */
interface EntryStatus {
  readonly classification: Classification;
  readonly route: Route;
  readonly grade: Grade;
  readonly ieepaDutyCents: number;
  readonly interestCents: number;
  readonly nextDeadline: string | null;
}

interface EntryChange {
  readonly entryNumber: string;
  /** Only changed entries have any. */
  readonly changedFields: string[];
  readonly before: EntryStatus | null;
  readonly after: EntryStatus | null;
}

/** The first {@link MAX_LISTED_CHANGES} entries of each kind, and the number of all. */
export interface ScanChanges {
  readonly listed: Readonly<Record<ChangeKind, EntryChange[]>>;
  readonly counts: Readonly<Record<ChangeKind | "unchanged", number>>;
}

/** Compares a portfolio with a baseline: first all entries of the baseline, then those of today. Each number may come once. */
export class PortfolioComparison {
  /** The entries that are not in the current portfolio, by number. */
  readonly #baseline = new Map<string, Entry>();
  readonly #classify: (entry: Entry) => ClassifiedEntry;
  readonly #counts = { added: 0, removed: 0, changed: 0, aged: 0, unchanged: 0 };
  readonly #listed = { added: [], removed: [], changed: [], aged: [] } as ScanChanges["listed"];

  /** @param asOf the day of the baseline */
  constructor(asOf: Day) {
    this.#classify = createClassifier(asOf);
  }

  addBaselineEntry(entry: Entry): void {
    this.#baseline.set(entry.entryNumber, entry);
  }

  addCurrentEntry(current: ClassifiedEntry): void {
    const { entryNumber } = current.entry;
    const earlier = this.#baseline.get(entryNumber);
    this.#baseline.delete(entryNumber);
    const after = toStatus(current);
    if (!earlier) {
      this.#record("added", { entryNumber, changedFields: [], before: null, after });
      return;
    }
    const before = toStatus(this.#classify(earlier));
    const changedFields = listChangedFields(earlier, current.entry);
    const change = { entryNumber, changedFields, before, after };
    if (changedFields.length > 0) this.#record("changed", change);
    else if (hasAged(before, after)) this.#record("aged", change);
    else this.#counts.unchanged += 1;
  }

  /** After the last current entry, once. */
  listChanges(): ScanChanges {
    for (const [entryNumber, entry] of this.#baseline) {
      const before = toStatus(this.#classify(entry));
      this.#record("removed", { entryNumber, changedFields: [], before, after: null });
    }
    return { listed: this.#listed, counts: this.#counts };
  }

  #record(kind: ChangeKind, change: EntryChange): void {
    this.#counts[kind] += 1;
    if (this.#listed[kind].length < MAX_LISTED_CHANGES) this.#listed[kind].push(change);
  }
}

const toStatus = ({ entry, interestCents, nextDeadline, ...rule }: ClassifiedEntry): EntryStatus => ({
  classification: rule.classification,
  route: rule.route,
  grade: rule.grade,
  ieepaDutyCents: entry.ieepaDutyCents,
  interestCents,
  nextDeadline: formatOptionalDay(nextDeadline),
});

/** Interest grows every day, so it does not count. */
const hasAged = (before: EntryStatus, after: EntryStatus): boolean =>
  before.classification !== after.classification || before.nextDeadline !== after.nextDeadline;

/** The fields with data, without those that say how and where a file contained the entry. */
const COMPARED_FIELDS = (Object.keys(ENTRY_FIELDS) as EntryField[]).filter(
  (field) => field !== "line" && field !== "warnings" && field !== "extra",
);

const listChangedFields = (one: Entry, other: Entry): string[] =>
  COMPARED_FIELDS.filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]));
