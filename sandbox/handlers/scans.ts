import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import {
  type Scan,
  scan as scanSchema,
  scanSummary as summarySchema,
} from "../../src/contract/operations/scans.ts";
import { formatDay } from "../../src/domain/entries/dates.ts";
import { MAX_LISTED_CHANGES, type ScanChanges } from "../../src/domain/scans/comparison.ts";
import type { ScanResult } from "../../src/domain/scans/portfolio-scanner.ts";
import { toRecord } from "../engine/to-record.ts";
import type { Caller } from "../store/credentials.ts";
import { listCompletedJobSeqs } from "../store/jobs.ts";
import type { ScanRow } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { problemError, problemErrorAt, validationError } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { type ReferencePlace, requireJob, requireScan } from "./require-record.ts";

/** Seconds (product.md §5). */
const POLL_AFTER = { "Retry-After": "1" };

interface ScanRequest {
  readonly mode: "full" | "delta";
  readonly baselineScanId?: string;
  readonly jobIds?: readonly string[];
}

export const scans = {
  create({ caller, body }, { quiescence, store, scans }) {
    return quiescence.run(() => {
      const baseline = findBaseline(store, caller, body);
      const scan = scans.request(caller, selectJobs(store, caller, body), baseline);
      const Location = OPERATIONS.scans.get.path.replace("{scanId}", scan.id);
      return { json: toScan(scan), headers: { Location, ...POLL_AFTER } };
    });
  },

  get({ caller, params: { scanId } }, { quiescence, store }) {
    return quiescence.runForSubject(scanId, () => ({ json: toScan(requireScan(store, caller, scanId)) }));
  },

  summary({ caller, params: { scanId } }, { quiescence, store }) {
    return quiescence.runForSubject(scanId, () => {
      const scan = requireScan(store, caller, scanId);
      const { changes, ...result } = requireResult(scan);
      return {
        json: toRecord(summarySchema, {
          ...commonFields(scan),
          ...result,
          scanId,
          currency: "USD",
          changes: changes && { ...changes.counts },
        }),
      };
    });
  },
} satisfies HandlersOf<"scans">;

function findBaseline(
  store: Store,
  caller: Caller,
  { mode, baselineScanId: id }: ScanRequest,
): ScanRow | null {
  const place = { pointer: "/baselineScanId" };
  if (mode === "full") {
    if (id === undefined) return null;
    const detail = "baselineScanId: a full scan has no baseline; leave it out, or use mode delta.";
    throw validationError([{ ...place, code: "not_allowed", detail }]);
  }
  if (id === undefined) {
    const detail = "baselineScanId: is missing; a delta scan needs a scan to compare with.";
    throw validationError([{ ...place, code: "required", detail }]);
  }
  const scan = requireScan(store, caller, id, place);
  requireResult(scan, place);
  return scan;
}

/** Returns seqs, the latest first. */
function selectJobs(store: Store, caller: Caller, { jobIds }: ScanRequest): readonly number[] {
  if (!jobIds) return listCompletedJobSeqs(store, caller);
  const seqs = jobIds.map((id, index) => {
    const place = { pointer: `/jobIds/${index}` };
    const job = requireJob(store, caller, id, place);
    if (job.state === "completed") return job.seq;
    const detail = `Job ${id} is ${job.state}; a scan takes completed jobs.`;
    throw problemErrorAt("job_not_completed", { ...place, code: "not_completed", detail });
  });
  return [...new Set(seqs)].sort((one, other) => other - one);
}

function requireResult({ id, state, result, failure }: ScanRow, place?: ReferencePlace): ScanResult {
  if (state === "completed" && result) return result;
  const isFailed = state === "failed" && failure;
  const detail = isFailed
    ? `Scan ${id} failed. ${failure.detail}`
    : `Scan ${id} is ${state}. Ask again when its state is completed.`;
  throw problemError(isFailed ? "scan_failed" : "scan_not_ready", detail, {
    headers: isFailed ? {} : POLL_AFTER,
    ...(place && { errors: [{ ...place, code: "not_completed", detail }] }),
  });
}

const commonFields = ({ environment, mode, baseline, asOf, jobs }: ScanRow) => ({
  environment,
  mode,
  baselineScanId: baseline,
  asOf: formatDay(asOf),
  jobCount: jobs.length,
});

function toScan(scan: ScanRow): Scan {
  const result = scan.state === "completed" ? scan.result : null;
  return toRecord(scanSchema, {
    ...scan,
    ...commonFields(scan),
    entryCount: result?.totals.entries ?? null,
    failure: scan.state === "failed" ? scan.failure : null,
    changes: result?.changes ? toChanges(result.changes) : null,
  });
}

function toChanges({ listed, counts }: ScanChanges): NonNullable<Scan["changes"]> {
  const { unchanged: _, ...kinds } = counts;
  return { ...listed, truncated: Object.values(kinds).some((count) => count > MAX_LISTED_CHANGES) };
}
