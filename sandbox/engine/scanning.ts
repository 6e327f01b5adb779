import { setImmediate } from "node:timers/promises";
import type { Entry } from "../../src/domain/entries/entry.ts";
import { type Baseline, type PortfolioFindings, Survey } from "../../src/domain/portfolio/survey.ts";
import { entryPages } from "../store/entries.ts";
import type { Store } from "../store/open.ts";
import type { ScanRow } from "../store/scans.ts";

/**
 * What a scan finds. The entries of a completed job stay as they are, so a baseline is read again and not kept. Works in
 * slices, so that other requests are answered meanwhile. Rejects when `signal` aborts.
 */
export async function scanPortfolio(
  store: Store,
  scan: ScanRow,
  baseline: ScanRow | null,
  signal: AbortSignal,
): Promise<PortfolioFindings> {
  const survey = new Survey(scan.asOf, baseline && (await baselineOf(store, baseline, signal)));
  for await (const entries of portfolio(store, scan, signal)) for (const entry of entries) survey.add(entry);
  return survey.findings();
}

async function baselineOf(store: Store, scan: ScanRow, signal: AbortSignal): Promise<Baseline> {
  const all = new Map<string, Entry>();
  for await (const entries of portfolio(store, scan, signal))
    for (const entry of entries) all.set(entry.entryNumber, entry);
  return { entries: all, asOf: scan.asOf };
}

/** Of an entry that several jobs have, the latest job's. */
async function* portfolio(
  store: Store,
  { jobs }: ScanRow,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[]> {
  const seen = new Set<string>();
  for (const job of jobs) {
    for (const page of entryPages(store, job, { includeDeferred: true })) {
      yield page.filter(({ entryNumber }) => !seen.has(entryNumber) && seen.add(entryNumber));
      await setImmediate();
      signal.throwIfAborted();
    }
  }
}
