import { categorizeState, type StateCategory } from "../domain/diligence/states.ts";
import { unreachableError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { linkSignals } from "./http/link-signals.ts";
import type { Outages } from "./outages.ts";
import { type Runtime, readMonotonic } from "./runtime.ts";

export interface JobProgress {
  readonly state: string;
  /** Null if the service does not say. */
  readonly rowsProcessed: number | null;
  readonly rowsTotal: number | null;
  /** How the job has ended, where its word does not say so. */
  readonly ended?: Exclude<StateCategory, "pending"> | "unknown";
}

/** How a job has ended, or `pending`; `unknown` if it has ended, and nothing says how. */
export const endOf = ({ ended, state }: JobProgress): StateCategory | "unknown" =>
  ended ?? categorizeState(state);

export interface WaitOptions {
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (job: JobProgress) => void;
  /** Repeat a poll during an outage of the service. Default: a failed poll ends the wait. */
  readonly outages?: Outages;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** The share of the waiting time so far. A wait is longer than the job by at most this share. */
const PAUSE_SHARE = 1 / 8;

/** Polls at growing intervals, and resolves to the last response. @throws ClaimsError `unreachable` if the last poll failed */
export async function pollUntilEnded<J extends { readonly seen: JobProgress }>(
  fetchJob: () => Promise<J>,
  { runtime, timeoutMs, signal, onProgress, outages }: WaitOptions,
): Promise<J> {
  const startedAt = readMonotonic(runtime);
  const deadline = startedAt + timeoutMs;
  let last: J | null = null;
  for (;;) {
    const job = await withDeadline(
      deadline - readMonotonic(runtime),
      () => (outages ? outages.retryThroughOutage(fetchJob, deadline) : fetchJob()),
      runtime,
      signal,
    );
    if (job === null) {
      if (outages?.failure) throw outages.failure;
      if (last) return last;
      throw unreachableError("unreachable", `no response about the job within ${timeoutMs / 1000} s`, {
        hint: "check the base URL, or wait longer",
        retryable: true,
      });
    }
    last = job;
    onProgress?.(job.seen);
    const waitedMs = readMonotonic(runtime) - startedAt;
    const leftMs = timeoutMs - waitedMs;
    if (endOf(job.seen) !== "pending" || leftMs <= 0) return job;
    const pauseMs = Math.min(Math.max(MIN_PAUSE_MS, waitedMs * PAUSE_SHARE), MAX_PAUSE_MS, leftMs);
    await runtime.sleep(pauseMs, signal);
  }
}

/** Null after the deadline. Closing the client ends the request that is still open then. */
async function withDeadline<T>(
  milliseconds: number,
  work: () => Promise<T>,
  runtime: Runtime,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  const finished = new AbortController();
  const either = linkSignals(finished.signal, ...(signal ? [signal] : []));
  const deadline = runtime.sleep(Math.max(milliseconds, MIN_PAUSE_MS), either.signal).then(() => null);
  const result = work();
  for (const promise of [deadline, result]) promise.catch(() => {});
  try {
    return await Promise.race([result, deadline]);
  } finally {
    finished.abort();
    either.unlink();
  }
}

/** The fields of a job. A service may have them at the top or under `job`. */
export function readJobFields(body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) return {};
  return isRecord(body.job) ? { ...body, ...body.job } : body;
}

/** The id that a document says its job has; null if it does not. The names are assumed (interface §4). */
export function readJobId(body: unknown): string | null {
  const { jobId, job_id: other } = readJobFields(body);
  const id = [jobId, other].find((value) => typeof value === "string" || typeof value === "number") ?? "";
  return String(id) || null;
}

const isUnfinished = (word: unknown): boolean => /^(partial|failed)$/.test(categorizeState(String(word)));

export function readJobProgress(body: unknown): JobProgress {
  const { state, status, result, outcome, conclusion, progress } = readJobFields(body);
  const word = state ?? status;
  // Beside `"status": "done"`, a service may say how the job was done.
  const isDone = categorizeState(String(word)) === "completed";
  const name = (isDone && [status, result, outcome, conclusion].find(isUnfinished)) || word;
  const { rowsProcessed, rowsTotal } = isRecord(progress) ? progress : {};
  return {
    state: typeof name === "string" ? name : "unknown",
    rowsProcessed: typeof rowsProcessed === "number" ? rowsProcessed : null,
    rowsTotal: typeof rowsTotal === "number" ? rowsTotal : null,
  };
}
