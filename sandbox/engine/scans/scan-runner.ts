import { setImmediate } from "node:timers/promises";
import type { Entry } from "../../../src/domain/entries/entry.ts";
import { PortfolioComparison } from "../../../src/domain/scans/comparison.ts";
import { PortfolioScanner, type ScanResult } from "../../../src/domain/scans/portfolio-scanner.ts";
import { readEntryPages } from "../../store/entry-pages.ts";
import type { Store } from "../../store/open.ts";
import type { ScanRow } from "../../store/scans.ts";

/** Compares the entries of a scan with its baseline, in slices. Rejects with a `ScanError`, or when `signal` aborts. */
export async function runScan(
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
  if (baseline && comparison?.needsSecondPass())
    await forEachEntry(baseline, (entry) => comparison.revisitBaselineEntry(entry));
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
