import { setImmediate } from "node:timers/promises";
import type { Entry } from "../../../src/domain/entries/entry.ts";
import { PortfolioComparison } from "../../../src/domain/scans/comparison.ts";
import { PortfolioScanner, type ScanResult } from "../../../src/domain/scans/portfolio-scanner.ts";
import { readEntryPages } from "../../store/entry-pages.ts";
import type { Store } from "../../store/open.ts";
import type { ScanRow } from "../../store/scans.ts";

/**
 * What a scan finds. The entries of a completed job stay as they are, so a baseline is read again and not kept. Works in
 * slices, so that other requests are answered meanwhile. Throws a `PortfolioFault`; rejects when `signal` aborts.
 */
export async function runScan(
  store: Store,
  scan: ScanRow,
  baseline: ScanRow | null,
  signal: AbortSignal,
): Promise<ScanResult> {
  const each = async (of: ScanRow, look: (entry: Entry) => void) => {
    for await (const entries of readPortfolio(store, of, signal)) for (const entry of entries) look(entry);
  };
  const comparison = baseline && new PortfolioComparison(baseline.asOf);
  if (baseline) await each(baseline, (entry) => comparison?.addBaselineEntry(entry));
  const survey = new PortfolioScanner(scan.asOf, comparison);
  await each(scan, (entry) => survey.add(entry));
  if (baseline && comparison?.needsSecondPass())
    await each(baseline, (entry) => comparison.revisitBaselineEntry(entry));
  return survey.result();
}

/** Of an entry that several jobs have, the latest job's. */
async function* readPortfolio(
  store: Store,
  { jobs }: ScanRow,
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
