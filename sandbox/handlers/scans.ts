import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Scan, ScanSummary } from "../../src/contract/scans.ts";
import { formatDay } from "../../src/domain/entries/dates.ts";
import { MAX_LISTED_CHANGES, type ScanChanges } from "../../src/domain/scans/comparison.ts";
import type { ScanResult } from "../../src/domain/scans/portfolio-scanner.ts";
import type { Engine } from "../engine/engine.ts";
import { formatOptionalTime, formatTime } from "../engine/scheduler/clock.ts";
import type { Caller } from "../store/credentials.ts";
import { listCompletedJobSeqs } from "../store/jobs.ts";
import { findOwnedScan, type ScanRow } from "../store/scans.ts";
import { problemError, problemErrorAt, validationError } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { type Place, recordNotFound } from "./record-not-found.ts";
import { requireJob } from "./require-job.ts";

/** Seconds (product.md §5). */
const POLL_AFTER_SECONDS = "1";

/** Of a job or scan that the portfolio cannot be taken from. */
const NOT_COMPLETED = "not_completed";

/** What a body says of a scan. */
interface ScanRequest {
  readonly mode: "full" | "delta";
  readonly baselineScanId?: string;
  readonly jobIds?: readonly string[];
}

export const scans = {
  create({ caller, body }, engine) {
    return engine.idle.whenSettled(() => {
      const baseline = findBaseline(engine, caller, body);
      const scan = engine.scans.request(caller, selectJobs(engine, caller, body), baseline);
      const headers = {
        Location: OPERATIONS.scans.get.path.replace("{scanId}", scan.id),
        "Retry-After": POLL_AFTER_SECONDS,
      };
      return { json: toScan(scan), headers };
    });
  },

  get({ caller, params }, engine) {
    const { scanId } = params;
    return engine.idle.whenSubjectIdle(() => ({ json: toScan(requireScan(engine, caller, scanId)) }), scanId);
  },

  summary({ caller, params }, engine) {
    const { scanId } = params;
    return engine.idle.whenSubjectIdle(() => {
      const scan = requireScan(engine, caller, scanId);
      return { json: toScanSummary(scan, requireFindings(scan)) };
    }, scanId);
  },
} satisfies HandlersOf<"scans">;

function findBaseline(
  engine: Engine,
  caller: Caller,
  { mode, baselineScanId: id }: ScanRequest,
): ScanRow | null {
  const pointer = "/baselineScanId";
  if (mode === "full") {
    if (id === undefined) return null;
    const detail = "baselineScanId: a full scan is compared with nothing; leave it out, or use mode delta.";
    throw validationError([{ pointer, code: "not_allowed", detail }]);
  }
  if (id === undefined) {
    const detail = "baselineScanId: is missing; a delta scan needs a scan to be compared with.";
    throw validationError([{ pointer, code: "required", detail }]);
  }
  const scan = requireScan(engine, caller, id, { pointer });
  requireFindings(scan, { pointer });
  return scan;
}

/** Seqs, the latest first. */
function selectJobs({ store }: Engine, caller: Caller, { jobIds }: ScanRequest): readonly number[] {
  if (!jobIds) return listCompletedJobSeqs(store, caller);
  const seqs = jobIds.map((id, index) => {
    const place = { pointer: `/jobIds/${index}` };
    const job = requireJob(store, caller, id, place);
    if (job.state === "completed") return job.seq;
    const detail = `Job ${id} is ${job.state}; a scan looks at completed jobs.`;
    throw problemErrorAt("job_not_completed", { ...place, code: NOT_COMPLETED, detail });
  });
  return [...new Set(seqs)].sort((one, other) => other - one);
}

/** In the path where no other place is given. */
function requireScan({ store }: Engine, caller: Caller, id: string, place?: Place): ScanRow {
  const scan = findOwnedScan(store, caller, id);
  if (scan) return scan;
  throw recordNotFound(caller, { code: "scan_not_found", what: "scan", id, place });
}

/** Of a scan that was completed; in the path where no other place is given. */
function requireFindings({ id, state, result: findings, failure }: ScanRow, place?: Place): ScanResult {
  if (state === "completed" && findings) return findings;
  if (state === "failed" && failure)
    throw scanRefusal(place, "scan_failed", `Scan ${id} failed. ${failure.detail}`);
  throw scanRefusal(
    place,
    "scan_not_ready",
    `Scan ${id} is ${state}. Ask again when its state is completed.`,
    {
      "Retry-After": POLL_AFTER_SECONDS,
    },
  );
}

const scanRefusal = (
  place: Place | undefined,
  code: "scan_failed" | "scan_not_ready",
  detail: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  problemError(code, detail, {
    headers,
    ...(place && { errors: [{ ...place, code: NOT_COMPLETED, detail }] }),
  });

const commonFields = ({ environment, mode, baseline, asOf, jobs }: ScanRow) => ({
  ...{ environment, mode, baselineScanId: baseline },
  ...{ asOf: formatDay(asOf), jobCount: jobs.length },
});

function toScan(scan: ScanRow): Scan {
  const found = scan.state === "completed" ? scan.result : null;
  return {
    ...{ id: scan.id, state: scan.state, ...commonFields(scan) },
    entryCount: found?.totals.entries ?? null,
    createdAt: formatTime(scan.createdAt),
    startedAt: formatOptionalTime(scan.startedAt),
    finishedAt: formatOptionalTime(scan.finishedAt),
    failure: scan.state === "failed" ? scan.failure : null,
    changes: found?.changes ? toChanges(found.changes) : null,
  };
}

function toChanges({ listed: named, counts }: ScanChanges): NonNullable<Scan["changes"]> {
  const { unchanged: _, ...kinds } = counts;
  return { ...named, truncated: Object.values(kinds).some((count) => count > MAX_LISTED_CHANGES) };
}

function toScanSummary(scan: ScanRow, { changes, ...findings }: ScanResult): ScanSummary {
  return {
    ...{ scanId: scan.id, ...commonFields(scan), currency: "USD" },
    ...findings,
    changes: changes && { ...changes.counts },
  };
}
