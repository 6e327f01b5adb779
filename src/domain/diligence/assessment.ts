import { formatDay } from "../entries/dates.ts";
import type { Entry, Layout } from "../entries/entry.ts";
import { EntryFile } from "../entries/entry-file.ts";
import { FileFault } from "../entries/file-fault.ts";
import { Assessor } from "./assess.ts";
import type { AssessedEntry } from "./assessed-entry.ts";
import type { AssessmentOptions } from "./assessment-options.ts";
import type { DiligenceReport } from "./report.ts";
import { rf8Review } from "./rf8-review.ts";
import { sellerMatcher } from "./seller-match.ts";
import { Tally } from "./tally.ts";

export type { AssessedEntry } from "./assessed-entry.ts";
export type { AssessmentOptions } from "./assessment-options.ts";

/** How far a run is (diligence-model §4). */
export interface Progress {
  /** Null until the end of the file. */
  readonly rowsTotal: number | null;
  readonly rowsProcessed: number;
  readonly entriesAccepted: number;
  readonly entriesRejected: number;
}

/**
 * One run of the model over one file, from bytes to entries and a report. Entries are handed out and not kept, rejections
 * are recorded. Check the encoding first (`EncodingCheck`): bytes that are not UTF-8 are not noticed here.
 */
export class Assessment {
  readonly #options: AssessmentOptions;
  readonly #file: EntryFile;
  readonly #assessor: Assessor;
  readonly #matchesSeller: (importerName: string | null) => boolean;
  readonly #settled = new Tally();
  /** Entries that an SBX-1 number defers; apart, because a partial report leaves them out. */
  readonly #deferred = new Tally();
  #completed: AssessedEntry[] = [];
  #fault: FileFault | null = null;

  constructor(options: AssessmentOptions) {
    this.#options = options;
    this.#file = new EntryFile(options.asOf, (entry) => this.#completed.push(this.#assess(entry)));
    this.#assessor = new Assessor(options.asOf);
    this.#matchesSeller = sellerMatcher(options.sellerName);
  }

  /** Null until the header is read. */
  get layout(): Layout | null {
    return this.#file.layout;
  }

  get progress(): Progress {
    return {
      rowsTotal: this.#file.ended ? this.#file.rows : null,
      rowsProcessed: this.#file.rows,
      entriesAccepted: this.#settled.total.entries + this.#deferred.total.entries,
      entriesRejected: this.#file.rejections.count,
    };
  }

  /**
   * The next bytes of the file; answers the accepted entries that they complete, in file order. Throws FileFault; entries
   * before the fault are handed out first and the next call throws, so that the order does not hang on chunk sizes.
   */
  push(bytes: Uint8Array): AssessedEntry[] {
    this.#throwFault();
    try {
      this.#file.push(bytes);
    } catch (error) {
      if (!(error instanceof FileFault) || this.#completed.length === 0) throw error;
      this.#fault = error;
    }
    return this.#takeCompleted();
  }

  /** The end of the file: the entries still open, in first-row order. To be drained before a report. Throws FileFault. */
  *finish(): Generator<AssessedEntry> {
    this.#throwFault();
    this.#file.end();
    yield* this.#takeCompleted();
    for (const entry of this.#file.groups()) yield this.#assess(entry);
  }

  #throwFault(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  #takeCompleted(): AssessedEntry[] {
    const completed = this.#completed;
    this.#completed = [];
    return completed;
  }

  /** The report of the undisturbed run, whatever an SBX-1 number defers. */
  report(): DiligenceReport {
    return this.#report(this.#settled.plus(this.#deferred), 0);
  }

  /** The report without the deferred entries: not in its totals, not in its checks, only counted. */
  partialReport(): DiligenceReport {
    return this.#report(this.#settled, this.#deferred.total.entries);
  }

  #assess(entry: Entry): AssessedEntry {
    const assessed = this.#assessor.assess(entry);
    const tally = assessed.scenario === "deferred" ? this.#deferred : this.#settled;
    tally.add(assessed, this.#matchesSeller(entry.importerName), this.#options.asOf);
    this.#checkTotals(entry.line);
    return assessed;
  }

  /** JSON numbers are exact up to 2^53 - 1; the largest totals are the entered value and the claim. */
  #checkTotals(line: number): void {
    const settled = this.#settled;
    const deferred = this.#deferred;
    const value = settled.enteredValueCents + deferred.enteredValueCents;
    const duty = settled.total.ieepaDutyCents + deferred.total.ieepaDutyCents;
    const claim = duty + settled.total.interestCents + deferred.total.interestCents;
    if (value <= Number.MAX_SAFE_INTEGER && claim <= Number.MAX_SAFE_INTEGER) return;
    throw new FileFault(
      "AMOUNT_OVERFLOW",
      line,
      `With the entry on line ${line} a total passes 2^53 - 1 cents. Check its amounts or split the file.`,
    );
  }

  #report(tally: Tally, deferred: number): DiligenceReport {
    const { sellerName, requiresProtestDocumentation, asOf } = this.#options;
    const { rejections, fileWarnings, layout } = this.#file;
    const { entries: accepted, ieepaDutyCents, interestCents } = tally.total;
    if (layout === null) throw new RangeError("A report needs a file that was read to its end.");
    return {
      sellerName,
      requiresProtestDocumentation,
      asOf: formatDay(asOf),
      layout,
      complete: deferred === 0,
      totals: {
        entriesSubmitted: accepted + rejections.count + deferred,
        entriesAccepted: accepted,
        entriesRejected: rejections.count,
        entriesDeferred: deferred,
        enteredValueCents: tally.enteredValueCents,
        ieepaDutyCents,
        interestCents,
        estimatedClaimCents: ieepaDutyCents + interestCents,
      },
      byRoute: tally.byRoute(),
      byClassification: tally.byClassification(),
      byGrade: tally.byGrade(),
      fileWarnings: [...fileWarnings],
      rejections: [...rejections.list],
      rejectionsTruncated: rejections.truncated,
      warnings: tally.warnings(),
      rf8Review: rf8Review(tally, { rejected: rejections.count, deferred }, this.#options),
    };
  }
}
