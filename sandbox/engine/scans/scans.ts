import { setImmediate } from "node:timers/promises";
import { timeToDay } from "../../../src/domain/entries/dates.ts";
import type { Entry } from "../../../src/domain/entries/entry.ts";
import { createLimit } from "../../../src/domain/limit.ts";
import { PortfolioComparison } from "../../../src/domain/scans/comparison.ts";
import { PortfolioScanner, ScanError, type ScanResult } from "../../../src/domain/scans/portfolio-scanner.ts";
import { MAX_RUNNING_SCANS } from "../../../src/domain/scans/states.ts";
import type { Caller } from "../../store/credentials.ts";
import { readEntryPages } from "../../store/entry-pages.ts";
import { SCANS, type ScanRow } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { createAbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import { DELAYS, type JobSpeed } from "../jobs/jobs.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";

/** Runs portfolio scans. Like those of jobs, start and finish are scheduled tasks. */
export function createScans({ store, clock, scheduler, random, onError }: EngineCore, speed: JobSpeed) {
  const delays = DELAYS[speed];
  const limit = createLimit(MAX_RUNNING_SCANS);
  const abortScope = createAbortScope();

  const start = async (id: string, signal: AbortSignal): Promise<FollowUpTask | null> => {
    SCANS.update(store, { id }, { state: "processing", startedAt: clock.now() });
    const scan = SCANS.get(store, { id });
    const baseline = scan.baseline === null ? null : SCANS.get(store, { id: scan.baseline });
    try {
      SCANS.update(store, { id }, { result: await runScan(store, scan, baseline, signal) });
    } catch (error) {
      if (signal.aborted) return null;
      SCANS.update(store, { id }, { failure: toFailure(error, onError) });
    }
    return { dueAt: clock.now() + delays.finish, kind: "scan.finish" };
  };

  scheduler.handle("scan.start", (id) => abortScope.run(limit, (signal) => start(id, signal)));
  scheduler.handle("scan.finish", (id) => {
    const { failure } = SCANS.get(store, { id });
    SCANS.update(store, { id }, { state: failure ? "failed" : "completed", finishedAt: clock.now() });
    return null;
  });

  return {
    /**
     * @param jobs seqs of completed jobs, the latest first
     * @param baseline a completed scan; null for a full scan
     */
    request(caller: Caller, jobs: readonly number[], baseline: ScanRow | null): ScanRow {
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
      scheduler.schedule(createdAt + delays.start, "scan.start", id);
      return SCANS.get(store, { id });
    },

    /** Ends the scans in progress, not those that start later. */
    abort: abortScope.abort,
  };
}

function toFailure(error: unknown, onError: EngineCore["onError"]): NonNullable<ScanRow["failure"]> {
  if (error instanceof ScanError) return { code: error.code, detail: error.message };
  onError(error);
  const detail = "The sandbox failed while it read the portfolio. Request another scan.";
  return { code: "internal_error", detail };
}

/** Compares the entries of a scan with its baseline, in slices. Rejects with a `ScanError`, or when `signal` aborts. */
async function runScan(
  store: Store,
  scan: ScanRow,
  baseline: ScanRow | null,
  signal: AbortSignal,
): Promise<ScanResult> {
  const forEachEntry = async ({ jobs }: ScanRow, visit: (entry: Entry) => void) => {
    for await (const entries of readPortfolio(store, jobs, signal)) for (const entry of entries) visit(entry);
  };
  const comparison = baseline && new PortfolioComparison(baseline.asOf);
  if (baseline) await forEachEntry(baseline, (entry) => comparison?.addBaselineEntry(entry));
  const scanner = new PortfolioScanner(scan.asOf, comparison);
  await forEachEntry(scan, (entry) => scanner.add(entry));
  return scanner.result();
}

/** If several jobs have an entry, the latest job's counts. */
async function* readPortfolio(
  store: Store,
  jobs: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[]> {
  const seen = new Set<string>();
  for (const job of jobs) {
    for (const page of readEntryPages(store, job, { includeDeferred: true })) {
      yield page.filter(({ entryNumber }) => !seen.has(entryNumber) && seen.add(entryNumber));
      await setImmediate();
      signal.throwIfAborted();
    }
  }
}
