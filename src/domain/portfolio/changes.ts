import { createHash } from "node:crypto";
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

/** Enough for two entries of one number: one change in 2⁹⁶ would go unseen. V8 copies so short a slice and lets go of the rest. */
const DIGEST_BYTES = 12;

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

/**
 * Holds the entries of a portfolio against those of an earlier one. Of the earlier entries only a digest is kept; those
 * that are named are looked at a second time.
 */
export class Comparison {
  /** Digests of those that have not been found again yet, by entry number. */
  readonly #before = new Map<string, string>();
  readonly #assessor: Assessor;
  readonly #counts = { added: 0, removed: 0, changed: 0, aged: 0, unchanged: 0 };
  readonly #added: EntryChange[] = [];
  readonly #aged: EntryChange[] = [];
  /** Those to be named, as they are now; the earlier entry is not known yet. */
  readonly #changed = new Map<string, AssessedEntry>();
  readonly #earlier = new Map<string, Entry>();

  /** @param asOf the day of the earlier portfolio */
  constructor(asOf: Day) {
    this.#assessor = new Assessor(asOf);
  }

  /** An entry of the earlier portfolio, each once; all of them come first. */
  addEarlier(entry: Entry): void {
    this.#before.set(entry.entryNumber, digestOf(entry));
  }

  /** An entry of the later portfolio, each once. */
  add(now: AssessedEntry): void {
    const { entry } = now;
    const { entryNumber } = entry;
    const digest = this.#before.get(entryNumber);
    this.#before.delete(entryNumber);
    if (digest === undefined) {
      const change = { entryNumber, changedFields: [], before: null, after: standingOf(now) };
      this.#note("added", this.#added, change);
    } else if (digest !== digestOf(entry)) {
      this.#counts.changed += 1;
      if (this.#changed.size < MOST_NAMED) this.#changed.set(entryNumber, now);
    } else this.#compareDays(now);
  }

  /** When the last entry has been added: what is left of the earlier portfolio was removed. Whether to look back. */
  endOfLater(): boolean {
    this.#counts.removed = this.#before.size;
    for (const entryNumber of [...this.#before.keys()].slice(MOST_NAMED)) this.#before.delete(entryNumber);
    return this.#changed.size + this.#before.size > 0;
  }

  /** The entries of the earlier portfolio once more, in the same order. */
  lookBack(entry: Entry): void {
    const { entryNumber } = entry;
    if (this.#changed.has(entryNumber) || this.#before.has(entryNumber))
      this.#earlier.set(entryNumber, entry);
  }

  changes(): PortfolioChanges {
    const changed = [...this.#changed].map(([entryNumber, now]) => {
      const entry = this.#earlierEntry(entryNumber);
      const before = standingOf(this.#assessor.assess(entry));
      return { entryNumber, changedFields: differences(entry, now.entry), before, after: standingOf(now) };
    });
    const removed = [...this.#before.keys()].map((entryNumber) => {
      const before = standingOf(this.#assessor.assess(this.#earlierEntry(entryNumber)));
      return { entryNumber, changedFields: [], before, after: null };
    });
    return { named: { added: this.#added, removed, changed, aged: this.#aged }, counts: this.#counts };
  }

  /** The data is what it was, so the entry as it is now tells how it stood on the earlier day. */
  #compareDays(now: AssessedEntry): void {
    const { entryNumber } = now.entry;
    const [before, after] = [standingOf(this.#assessor.assess(now.entry)), standingOf(now)];
    if (hasMovedOn(before, after)) {
      this.#note("aged", this.#aged, { entryNumber, changedFields: [], before, after });
    } else this.#counts.unchanged += 1;
  }

  #note(kind: "added" | "aged", named: EntryChange[], change: EntryChange): void {
    this.#counts[kind] += 1;
    if (named.length < MOST_NAMED) named.push(change);
  }

  #earlierEntry(entryNumber: string): Entry {
    const entry = this.#earlier.get(entryNumber);
    if (!entry)
      throw new RangeError("The entries of the earlier portfolio have to be looked at a second time.");
    return entry;
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
  return comparedFields(one).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

const comparedFields = (entry: Entry): (keyof Entry)[] =>
  (Object.keys(entry) as (keyof Entry)[]).filter((name) => !NOT_COMPARED.has(name));

/** Of what is compared; two entries that differ have two digests. */
function digestOf(entry: Entry): string {
  const values = comparedFields(entry).map((name) => entry[name]);
  return createHash("sha256").update(JSON.stringify(values)).digest("binary").slice(0, DIGEST_BYTES);
}
