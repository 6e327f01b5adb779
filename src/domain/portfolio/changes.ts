import { Assessor } from "../diligence/assess.ts";
import type { AssessedEntry } from "../diligence/assessed-entry.ts";
import type { Classification, Grade, Route } from "../diligence/classify.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";

/** What became of an entry between two scans. `aged`: its data is the same, the days that passed moved it on. */
export const CHANGE_KINDS = ["added", "removed", "changed", "aged"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** How many entries of a kind are named; the others are counted. */
export const MOST_NAMED = 1_000;

/** How an entry stands on a day; the deadline is `YYYY-MM-DD`. */
export interface Standing {
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
  readonly before: Standing | null;
  /** Null for one that is no longer there. */
  readonly after: Standing | null;
}

/** Entries by kind of change, the first {@link MOST_NAMED} of each, and how many there are. */
export interface PortfolioChanges {
  readonly named: Readonly<Record<ChangeKind, EntryChange[]>>;
  readonly counts: Readonly<Record<ChangeKind | "unchanged", number>>;
}

/** Holds the entries of a portfolio against those of an earlier one. */
export class Comparison {
  /** Those that have not been found again yet. */
  readonly #before: Map<string, Entry>;
  readonly #assessor: Assessor;
  readonly #named: Record<ChangeKind, EntryChange[]> = { added: [], removed: [], changed: [], aged: [] };
  readonly #counts = { added: 0, removed: 0, changed: 0, aged: 0, unchanged: 0 };

  /**
   * @param before by entry number; it is used up
   * @param asOf the day of the earlier portfolio
   */
  constructor(before: Map<string, Entry>, asOf: Day) {
    this.#before = before;
    this.#assessor = new Assessor(asOf);
  }

  /** An entry of the later portfolio, each once. */
  add(now: AssessedEntry): void {
    const { entryNumber } = now.entry;
    const entry = this.#before.get(entryNumber);
    const after = standingOf(now);
    if (!entry) {
      this.#note("added", { entryNumber, changedFields: [], before: null, after });
      return;
    }
    this.#before.delete(entryNumber);
    const before = standingOf(this.#assessor.assess(entry));
    const changedFields = differences(entry, now.entry);
    const change = { entryNumber, changedFields, before, after };
    if (changedFields.length > 0) this.#note("changed", change);
    else if (hasMovedOn(before, after)) this.#note("aged", change);
    else this.#counts.unchanged += 1;
  }

  /** When the last entry has been added: what is left of the earlier portfolio was removed. */
  finish(): PortfolioChanges {
    for (const [entryNumber, entry] of this.#before) {
      const before = standingOf(this.#assessor.assess(entry));
      this.#note("removed", { entryNumber, changedFields: [], before, after: null });
    }
    this.#before.clear();
    return { named: this.#named, counts: this.#counts };
  }

  #note(kind: ChangeKind, change: EntryChange): void {
    this.#counts[kind] += 1;
    if (this.#named[kind].length < MOST_NAMED) this.#named[kind].push(change);
  }
}

const standingOf = (assessed: AssessedEntry): Standing => ({
  classification: assessed.classification,
  route: assessed.route,
  grade: assessed.grade,
  ieepaDutyCents: assessed.entry.ieepaDutyCents,
  interestCents: assessed.interestCents,
  nextDeadline: formatOptionalDay(assessed.nextDeadline),
});

/** Interest grows every day; that alone moves nothing. */
const hasMovedOn = (before: Standing, after: Standing): boolean =>
  before.classification !== after.classification || before.nextDeadline !== after.nextDeadline;

/** How a file wrote an entry, and where, is no data of it. */
const NOT_COMPARED: ReadonlySet<string> = new Set<keyof Entry>(["line", "warnings", "extra"]);

function differences(one: Entry, other: Entry): string[] {
  const names = (Object.keys(one) as (keyof Entry)[]).filter((name) => !NOT_COMPARED.has(name));
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
