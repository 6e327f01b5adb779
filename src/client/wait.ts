import { categorizeState } from "../domain/diligence/states.ts";
import { ClaimsError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { linkSignals } from "./http/link-signals.ts";
import type { Runtime } from "./runtime.ts";

/** A job as any service may show it; only what waiting needs is looked at. */
export interface JobProgress {
  readonly state: string;
  /** Rows done and in all, where the service says so. */
  readonly rowsProcessed: number | null;
  readonly rowsTotal: number | null;
}

export interface WaitOptions {
  readonly runtime: Runtime;
  /** Milliseconds to go on asking. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (job: JobProgress) => void;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Of the time waited so far; so that at most this share of a job's duration is lost to not having asked. */
const PAUSE_SHARE = 1 / 8;

/**
 * Asks at growing intervals until the job has ended or the time is up; resolves to the last answer either way. A service
 * that goes silent does not make it longer: without any answer it is unreachable.
 */
export async function pollUntilEnded<J extends { readonly seen: JobProgress }>(
  ask: () => Promise<J>,
  { runtime, timeoutMs, signal, onProgress }: WaitOptions,
): Promise<J> {
  const startedAt = runtime.now();
  let last: J | null = null;
  for (;;) {
    const job: J | null = await withDeadline(startedAt + timeoutMs - runtime.now(), ask, {
      runtime,
      signal,
    });
    if (job === null) return last ?? Promise.reject(noResponse(timeoutMs));
    last = job;
    onProgress?.(job.seen);
    const waited = runtime.now() - startedAt;
    const left = timeoutMs - waited;
    if (categorizeState(job.seen.state) !== "pending" || left <= 0) return job;
    const pause = Math.min(Math.max(MIN_PAUSE_MS, waited * PAUSE_SHARE), MAX_PAUSE_MS, left);
    await runtime.sleep(pause, signal);
  }
}

/** Null where the time is up first; what is being asked then is left to whoever closes the client. */
async function withDeadline<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  { runtime, signal }: Pick<WaitOptions, "runtime" | "signal">,
): Promise<T | null> {
  const answered = new AbortController();
  const either = linkSignals(answered.signal, ...(signal ? [signal] : []));
  const timeIsUp = runtime.sleep(Math.max(milliseconds, MIN_PAUSE_MS), either.signal).then(() => null);
  const asked = ask();
  for (const loser of [timeIsUp, asked]) loser.catch(() => {});
  try {
    return await Promise.race([asked, timeIsUp]);
  } finally {
    answered.abort();
    either.unlink();
  }
}

const noResponse = (waited: number): ClaimsError =>
  new ClaimsError("unreachable", "unreachable", `no answer about the job within ${waited / 1000} s`, {
    hint: "check the base URL, or give it more time with --timeout",
    retryable: true,
  });

/** The fields of a job, which a service may put at the top or under `job`. */
export function readJobFields(body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) return {};
  return isRecord(body.job) ? { ...body, ...body.job } : body;
}

/** Reads a job record without relying on more than a `state`, or `status`, somewhere near the top. */
export function readJobProgress(body: unknown): JobProgress {
  const record = readJobFields(body);
  const state = record.state ?? record.status;
  const progress = isRecord(record.progress) ? record.progress : {};
  return {
    state: typeof state === "string" ? state : "unknown",
    rowsProcessed: numberOrNull(progress.rowsProcessed),
    rowsTotal: numberOrNull(progress.rowsTotal),
  };
}

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);
