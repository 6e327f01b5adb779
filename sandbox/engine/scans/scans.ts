import { timeToDay } from "../../../src/domain/entries/dates.ts";
import { ScanError } from "../../../src/domain/scans/scan-error.ts";
import type { Caller } from "../../store/credentials.ts";
import type { Store } from "../../store/open.ts";
import {
  addScan,
  beginScan,
  endScan,
  findScan,
  type ScanFailure,
  type ScanRow,
  setScanFailure,
  setScanResult,
} from "../../store/scans.ts";
import { AbortScope } from "../abort-scope.ts";
import { DELAYS, type JobSpeed } from "../jobs/jobs.ts";
import type { RandomSource } from "../random.ts";
import type { Clock } from "../scheduler/clock.ts";
import type { FollowUpTask, Scheduler } from "../scheduler/scheduler.ts";
import { runScan } from "./scan-runner.ts";

interface ScansOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly speed: JobSpeed;
  readonly onError: (error: unknown) => void;
}

/** Runs the portfolio scans: start and finish are rows of the agenda, as those of jobs are. */
export class Scans {
  readonly #options: ScansOptions;
  readonly #abortScope = new AbortScope();

  constructor(options: ScansOptions) {
    this.#options = options;
    options.scheduler.handle("scan.start", (id) => this.#start(id));
    options.scheduler.handle("scan.finish", (id) => this.#finish(id));
  }

  /**
   * @param jobs seqs of completed jobs, the latest first
   * @param baseline a completed scan; null for a full scan
   */
  request(caller: Caller, jobs: readonly number[], baseline: ScanRow | null): ScanRow {
    const { store, clock, scheduler, random, speed } = this.#options;
    const id = random.uuid("scan");
    const createdAt = clock.now();
    addScan(store, {
      ...caller,
      ...{ id, jobs, createdAt, asOf: timeToDay(createdAt) },
      mode: baseline ? "delta" : "full",
      baseline: baseline?.id ?? null,
    });
    scheduler.schedule(createdAt + DELAYS[speed].start, "scan.start", id);
    return this.#find(id);
  }

  /** Makes a scan that is under way give up; those that begin later do not. */
  abort(): void {
    this.#abortScope.abort();
  }

  async #start(id: string): Promise<FollowUpTask | null> {
    const { store, clock, speed } = this.#options;
    const { signal } = this.#abortScope;
    beginScan(store, id, clock.now());
    const scan = this.#find(id);
    const baseline = scan.baseline === null ? null : this.#find(scan.baseline);
    try {
      setScanResult(store, id, await runScan(store, scan, baseline, signal));
    } catch (error) {
      if (signal.aborted) return null;
      setScanFailure(store, id, this.#toFailure(error));
    }
    return { dueAt: clock.now() + DELAYS[speed].finish, kind: "scan.finish" };
  }

  #toFailure(error: unknown): ScanFailure {
    if (error instanceof ScanError) return { code: error.code, detail: error.message };
    this.#options.onError(error);
    const detail = "The sandbox failed while it looked at the portfolio. Ask for another scan.";
    return { code: "internal_error", detail };
  }

  #finish(id: string): null {
    const { store, clock } = this.#options;
    endScan(store, id, clock.now());
    return null;
  }

  #find(id: string): ScanRow {
    const scan = findScan(this.#options.store, id);
    if (!scan) throw new Error(`scan ${id} is not in the store`);
    return scan;
  }
}
