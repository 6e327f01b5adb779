import { timeToDay } from "../../../src/domain/entries/dates.ts";
import { ScanError } from "../../../src/domain/scans/portfolio-scanner.ts";
import type { Caller } from "../../store/credentials.ts";
import { endScan, SCANS, type ScanRow } from "../../store/scans.ts";
import { AbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import { DELAYS, type JobSpeed } from "../jobs/jobs.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import { runScan } from "./scan-runner.ts";

/** Runs portfolio scans. Like those of jobs, start and finish are scheduled tasks. */
export class Scans {
  readonly #core: EngineCore;
  readonly #delays: { readonly start: number; readonly finish: number };
  readonly #abortScope = new AbortScope();

  constructor(core: EngineCore, speed: JobSpeed) {
    this.#core = core;
    this.#delays = DELAYS[speed];
    core.scheduler.handle("scan.start", (id) => this.#start(id));
    core.scheduler.handle("scan.finish", (id) => this.#finish(id));
  }

  /**
   * @param jobs seqs of completed jobs, the latest first
   * @param baseline a completed scan; null for a full scan
   */
  request(caller: Caller, jobs: readonly number[], baseline: ScanRow | null): ScanRow {
    const { store, clock, scheduler, random } = this.#core;
    const id = random.uuid("scan");
    const createdAt = clock.now();
    SCANS.insert(store, {
      ...caller,
      id,
      jobs,
      createdAt,
      asOf: timeToDay(createdAt),
      mode: baseline ? "delta" : "full",
      baseline: baseline?.id ?? null,
    });
    scheduler.schedule(createdAt + this.#delays.start, "scan.start", id);
    return this.#find(id);
  }

  /** Ends the scans in progress, not those that start later. */
  abort(): void {
    this.#abortScope.abort();
  }

  async #start(id: string): Promise<FollowUpTask | null> {
    const { store, clock } = this.#core;
    const { signal } = this.#abortScope;
    SCANS.update(store, { id }, { state: "processing", startedAt: clock.now() });
    const scan = this.#find(id);
    const baseline = scan.baseline === null ? null : this.#find(scan.baseline);
    try {
      SCANS.update(store, { id }, { result: await runScan(store, scan, baseline, signal) });
    } catch (error) {
      if (signal.aborted) return null;
      SCANS.update(store, { id }, { failure: this.#toFailure(error) });
    }
    return { dueAt: clock.now() + this.#delays.finish, kind: "scan.finish" };
  }

  #toFailure(error: unknown): NonNullable<ScanRow["failure"]> {
    if (error instanceof ScanError) return { code: error.code, detail: error.message };
    this.#core.onError(error);
    const detail = "The sandbox failed while it read the portfolio. Request another scan.";
    return { code: "internal_error", detail };
  }

  #finish(id: string): null {
    const { store, clock } = this.#core;
    endScan(store, id, clock.now());
    return null;
  }

  #find(id: string): ScanRow {
    return SCANS.get(this.#core.store, { id });
  }
}
