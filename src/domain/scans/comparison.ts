import { createHash } from "node:crypto";
import type { Classification, Grade, Route } from "../diligence/classify.ts";
import { type ClassifiedEntry, createClassifier } from "../diligence/entry-classifier.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import { ENTRY_FIELDS, type Entry, type EntryField } from "../entries/entry.ts";

/** How entries change between two scans. `aged`: the data is the same, but the days that passed changed the status. */
export const CHANGE_KINDS = ["added", "removed", "changed", "aged"] as const;

type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The number of entries of a kind that are listed. The others are counted. */
export const MAX_LISTED_CHANGES = 1_000;

/** Two different entries share a digest once in 2⁹⁶. V8 copies such a short slice instead of keeping the whole. */
const DIGEST_BYTES = 12;

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

/** Compares a portfolio with a baseline. It keeps digests of the baseline, and reads what it lists a second time. */
export class PortfolioComparison {
  /** Digests by entry number, of the entries that are not in the current portfolio. */
  readonly #baselineDigests = new Map<string, string>();
  readonly #baselineEntries = new Map<string, Entry>();
  /** The changed entries to list, as they are now. */
  readonly #changed = new Map<string, ClassifiedEntry>();
  readonly #classify: (entry: Entry) => ClassifiedEntry;
  readonly #counts = { added: 0, removed: 0, changed: 0, aged: 0, unchanged: 0 };
  readonly #added: EntryChange[] = [];
  readonly #aged: EntryChange[] = [];

  /** @param asOf the day of the baseline */
  constructor(asOf: Day) {
    this.#classify = createClassifier(asOf);
  }

  /** First pass over the baseline, before the current entries. Each entry number may come once. */
  addBaselineEntry(entry: Entry): void {
    this.#baselineDigests.set(entry.entryNumber, computeDigest(entry));
  }

  /** Each entry number may come once. */
  addCurrentEntry(current: ClassifiedEntry): void {
    const { entryNumber } = current.entry;
    const digest = this.#baselineDigests.get(entryNumber);
    this.#baselineDigests.delete(entryNumber);
    if (digest === undefined) {
      this.#record("added", { entryNumber, changedFields: [], before: null, after: toStatus(current) });
    } else if (digest !== computeDigest(current.entry)) {
      this.#counts.changed += 1;
      if (this.#changed.size < MAX_LISTED_CHANGES) this.#changed.set(entryNumber, current);
    } else {
      // The data is the same, so the current entry also gives the earlier status.
      const [before, after] = [toStatus(this.#classify(current.entry)), toStatus(current)];
      if (hasAged(before, after)) this.#record("aged", { entryNumber, changedFields: [], before, after });
      else this.#counts.unchanged += 1;
    }
  }

  /** After the last current entry: whether {@link listChanges} needs a second pass over the baseline. */
  needsSecondPass(): boolean {
    this.#counts.removed = this.#baselineDigests.size;
    for (const entryNumber of [...this.#baselineDigests.keys()].slice(MAX_LISTED_CHANGES))
      this.#baselineDigests.delete(entryNumber);
    return this.#changed.size + this.#baselineDigests.size > 0;
  }

  revisitBaselineEntry(entry: Entry): void {
    const { entryNumber } = entry;
    if (this.#changed.has(entryNumber) || this.#baselineDigests.has(entryNumber))
      this.#baselineEntries.set(entryNumber, entry);
  }

  listChanges(): ScanChanges {
    const changed = [...this.#changed].map(([entryNumber, current]) => {
      const entry = this.#getBaselineEntry(entryNumber);
      const before = toStatus(this.#classify(entry));
      const changedFields = listChangedFields(entry, current.entry);
      return { entryNumber, changedFields, before, after: toStatus(current) };
    });
    const removed = [...this.#baselineDigests.keys()].map((entryNumber) => {
      const before = toStatus(this.#classify(this.#getBaselineEntry(entryNumber)));
      return { entryNumber, changedFields: [], before, after: null };
    });
    return { listed: { added: this.#added, removed, changed, aged: this.#aged }, counts: this.#counts };
  }

  #record(kind: "added" | "aged", change: EntryChange): void {
    const listed = kind === "added" ? this.#added : this.#aged;
    this.#counts[kind] += 1;
    if (listed.length < MAX_LISTED_CHANGES) listed.push(change);
  }

  #getBaselineEntry(entryNumber: string): Entry {
    const entry = this.#baselineEntries.get(entryNumber);
    if (!entry) throw new RangeError("the comparison needs a second pass over the baseline");
    return entry;
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

function computeDigest(entry: Entry): string {
  const values = COMPARED_FIELDS.map((field) => entry[field]);
  return createHash("sha256").update(JSON.stringify(values)).digest("binary").slice(0, DIGEST_BYTES);
}
