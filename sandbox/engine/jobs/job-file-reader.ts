import { setImmediate } from "node:timers/promises";
import { Assessment } from "../../../src/domain/diligence/assessment.ts";
import type { ClassifiedEntry } from "../../../src/domain/diligence/entry-classifier.ts";
import { FileCheck } from "../../../src/domain/entries/csv/file-check.ts";
import { EntryFileError } from "../../../src/domain/entries/entry-file-error.ts";
import { type AcceptedEntry, addEntries, removeEntries } from "../../store/entry-pages.ts";
import { type FileFindings, JOBS, type JobRow, NO_FINDINGS } from "../../store/jobs.ts";
import { addReport } from "../../store/reports.ts";
import type { Store } from "../../store/store.ts";
import type { Upload } from "../uploads.ts";
import { resolveOutcome } from "./outcome.ts";

/** One slice of work between two turns of the event loop: about 500 rows, a few milliseconds. */
const SLICE_BYTES = 128 * 1024;
const SLICE_ENTRIES = 500;

/** Checking a file is about fifty times faster than reading its rows. */
const CHECK_SLICE_BYTES = 1024 * 1024;

const SLICE_REMOVALS = 5_000;

/** Checks a file in slices, then reads its rows, and reads them again if rows may repeat others (diligence-model §1). */
export class JobFileReader {
  readonly #store: Store;
  readonly #job: JobRow;
  readonly #signal: AbortSignal;
  readonly #assessment: Assessment;
  readonly #findings: Mutable<FileFindings> = { ...NO_FINDINGS };
  #lastLine = 0;
  #accepted: AcceptedEntry[] = [];

  constructor(store: Store, job: JobRow, signal: AbortSignal) {
    this.#store = store;
    this.#job = job;
    this.#signal = signal;
    this.#assessment = new Assessment(job, (entry) => this.#collect(entry));
  }

  /** Rejects when the signal aborts. */
  async read(upload: Upload): Promise<FileFindings> {
    const [store, assessment, { seq }] = [this.#store, this.#assessment, this.#job];
    try {
      await this.#checkFile(upload);
      await this.#readRows(upload);
      await this.#finishRows();
      await this.#compareRows(upload);
      store.transaction(() => {
        addReport(store, seq, assessment.report());
        if (this.#findings.deferred > 0) addReport(store, seq, assessment.partialReport());
      });
      return this.#readFindings();
    } catch (error) {
      if (!(error instanceof EntryFileError)) throw error;
      // A file with an error has no dataset (diligence-model §1).
      for (let line = 0; line <= this.#lastLine; line += SLICE_REMOVALS) {
        removeEntries(store, seq, line, line + SLICE_REMOVALS);
        await this.#yield();
      }
      this.#findings.fileError = { code: error.code, detail: error.message, line: error.line };
      return this.#readFindings();
    }
  }

  async #checkFile(upload: Upload): Promise<void> {
    const check = new FileCheck();
    for await (const bytes of upload.slices(CHECK_SLICE_BYTES)) {
      check.push(bytes);
      await this.#yield();
    }
    check.end();
  }

  async #readRows(upload: Upload): Promise<void> {
    for await (const bytes of upload.slices(SLICE_BYTES)) {
      this.#storeSlice(() => this.#assessment.push(bytes));
      await this.#yield();
    }
  }

  /** The end of the file completes the last record. An es003 file yields all its entries only then. */
  async #finishRows(): Promise<void> {
    const rest = this.#assessment.finish();
    for (let isDone = false; !isDone; ) {
      this.#storeSlice(() => {
        for (let count = 0; count < SLICE_ENTRIES && !isDone; count += 1) isDone = rest.next().done === true;
      });
      await this.#yield();
    }
  }

  async #compareRows(upload: Upload): Promise<void> {
    const reading = this.#assessment.startSecondPass();
    if (reading === null) return;
    for await (const bytes of upload.slices(SLICE_BYTES)) {
      reading.push(bytes);
      await this.#yield();
    }
    reading.end();
  }

  #collect({ scenario, entry }: ClassifiedEntry): void {
    this.#accepted.push({ entry, deferred: scenario === "deferred" });
    this.#lastLine = entry.line;
    if (scenario === null) return;
    const findings = this.#findings;
    if (scenario === "fails_once") findings.failsOnce ??= entry.line;
    if (scenario === "fails_always") findings.failsAlways ??= entry.line;
    if (scenario === "deferred") findings.deferred += 1;
    if (scenario === "slow") findings.slow = true;
  }

  #storeSlice(work: () => void): void {
    const [store, { id, seq }] = [this.#store, this.#job];
    store.transaction(() => {
      this.#accepted = [];
      work();
      addEntries(store, seq, this.#accepted);
      // Deferred entries do not count yet: the progress must not exceed the final one.
      JOBS.update(store, { id }, resolveOutcome(this.#readFindings(), 1).progress);
    });
  }

  #readFindings(): FileFindings {
    return { ...this.#findings, progress: { ...this.#assessment.progress } };
  }

  async #yield(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
