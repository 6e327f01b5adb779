import { formatDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import { EntryFileError } from "../entries/entry-file-error.ts";
import { EntryFileReader } from "../entries/entry-file-reader.ts";
import { ImplausibleAmounts } from "../entries/implausible-amounts.ts";
import { TemplateRow } from "../entries/template-row.ts";
import type { AssessmentOptions } from "./assessment-options.ts";
import { type ClassifiedEntry, createClassifier } from "./entry-classifier.ts";
import { ImplausibleEntries } from "./implausible-entries.ts";
import { createRf8Review } from "./rf8-review.ts";
import { createSellerMatcher } from "./seller-matcher.ts";
import { Totals } from "./totals.ts";

/** The report of diligence-model §3 without `jobId` and `contractVersion`, which the caller adds. */
export type DiligenceReport = ReturnType<Assessment["report"]>;

/** The progress of a run (diligence-model §4). */
export interface FileProgress {
  /** Null until the end of the file. */
  readonly rowsTotal: number | null;
  readonly rowsProcessed: number;
  readonly entriesAccepted: number;
  readonly entriesRejected: number;
}

/** Applies the model to one file, from its bytes to entries and a report. `FileCheck` checks it before. */
export class Assessment {
  readonly #options: AssessmentOptions;
  readonly #file: EntryFileReader;
  readonly #classifyEntry: (entry: Entry) => ClassifiedEntry;
  readonly #matchesSeller: (importerName: string | null) => boolean;
  readonly #implausibleAmounts = new ImplausibleAmounts();
  readonly #implausibleEntries = new ImplausibleEntries();
  readonly #templateRow = new TemplateRow();
  readonly #settledTotals = new Totals();
  /** Entries that an SBX-1 number defers. A partial report leaves them out. */
  readonly #deferredTotals = new Totals();
  readonly #onEntry: (entry: ClassifiedEntry) => void;
  #secondReading: EntryFileReader | null = null;

  /** @param onEntry gets the accepted entries in file order, as soon as they are complete */
  constructor(options: AssessmentOptions, onEntry: (entry: ClassifiedEntry) => void) {
    this.#options = options;
    this.#onEntry = onEntry;
    this.#file = new EntryFileReader({ asOf: options.asOf, onEntry: (entry) => this.#add(entry) });
    this.#classifyEntry = createClassifier(options.asOf);
    this.#matchesSeller = createSellerMatcher(options.sellerName);
  }

  get progress(): FileProgress {
    return {
      rowsTotal: this.#file.hasEnded ? this.#file.rowCount : null,
      rowsProcessed: this.#file.rowCount,
      entriesAccepted: this.#settledTotals.total.entries + this.#deferredTotals.total.entries,
      entriesRejected: this.#file.rejections.count,
    };
  }

  /** @throws EntryFileError */
  push(bytes: Uint8Array): void {
    this.#file.push(bytes);
  }

  /** Ends the file. Each step completes at most one entry. Take all of them before the report. @throws EntryFileError */
  *finish(): Generator<void> {
    this.#file.end();
    for (const entry of this.#file.groupedEntries()) yield this.#add(entry);
  }

  /**
   * After {@link finish}: the reading that compares rows which may repeat others; null if none may. Push the same bytes, and
   * end it before the report.
   */
  startSecondPass(): EntryFileReader | null {
    if (!this.#file.needsSecondPass) return null;
    this.#file.releaseRows();
    this.#secondReading = new EntryFileReader({ asOf: this.#options.asOf, isSecondPass: true });
    return this.#secondReading;
  }

  /** After all passes: the same as that of `EntryFileReader`. */
  rejectedGroups(): Uint8Array | null {
    return (this.#secondReading ?? this.#file).rejectedGroups();
  }

  /** The report on all accepted entries, deferred ones included. */
  report() {
    return this.#createReport(this.#settledTotals.plus(this.#deferredTotals), 0);
  }

  /** The report without the deferred entries, which it only counts. */
  partialReport() {
    return this.#createReport(this.#settledTotals, this.#deferredTotals.total.entries);
  }

  #add(entry: Entry): void {
    const classified = this.#classifyEntry(entry);
    const totals = classified.scenario === "deferred" ? this.#deferredTotals : this.#settledTotals;
    this.#implausibleAmounts.add(entry);
    this.#implausibleEntries.add(classified);
    this.#templateRow.add(entry);
    totals.add(classified, this.#matchesSeller(entry.importerName), this.#options.asOf);
    this.#checkTotals(entry.line);
    this.#onEntry(classified);
  }

  /** JSON numbers are exact up to 2^53 - 1. The largest totals are the entered value and the claim. */
  #checkTotals(line: number): void {
    const settled = this.#settledTotals;
    const deferred = this.#deferredTotals;
    const value = settled.enteredValueCents + deferred.enteredValueCents;
    const duty = settled.total.ieepaDutyCents + deferred.total.ieepaDutyCents;
    const claim = duty + settled.total.interestCents + deferred.total.interestCents;
    if (value <= Number.MAX_SAFE_INTEGER && claim <= Number.MAX_SAFE_INTEGER) return;
    throw new EntryFileError(
      "AMOUNT_OVERFLOW",
      line,
      `A total exceeds 2^53 - 1 cents at the entry on line ${line}. Check its amounts or split the file.`,
    );
  }

  #createReport(totals: Totals, deferred: number) {
    const { asOf, sellerName, requiresProtestDocumentation } = this.#options;
    const { rejections, layout } = this.#file;
    const reading = this.#secondReading ?? this.#file;
    const { entries: accepted, ieepaDutyCents, interestCents } = totals.total;
    const warnings = totals.warnings();
    const fileWarnings = [
      ...reading.fileWarnings,
      ...this.#templateRow.fileWarnings(),
      ...this.#implausibleAmounts.fileWarnings(),
      ...this.#implausibleEntries.fileWarnings(),
    ];
    if (layout === null) throw new RangeError("the report needs a file that was read to its end");
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
        enteredValueCents: totals.enteredValueCents,
        ieepaDutyCents,
        interestCents,
        estimatedClaimCents: ieepaDutyCents + interestCents,
      },
      byRoute: totals.byRoute(),
      byClassification: totals.byClassification(),
      byGrade: totals.byGrade(),
      fileWarnings,
      rejections: [...rejections.list],
      rejectionsTruncated: rejections.isTruncated,
      warnings,
      rf8Review: createRf8Review(
        totals,
        { rejected: rejections.count, deferred, fileWarnings },
        this.#options,
      ),
    };
  }
}
