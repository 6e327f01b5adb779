import { readState } from "../domain/diligence/states.ts";
import type { Surroundings } from "./surroundings.ts";

/** A job as any service may show it; only what waiting needs is looked at. */
export interface SeenJob {
  readonly state: string;
  /** Rows done and in all, where the service says so. */
  readonly rowsProcessed: number | null;
  readonly rowsTotal: number | null;
}

export interface WaitOptions {
  readonly surroundings: Surroundings;
  /** Milliseconds to go on asking. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (job: SeenJob) => void;
}

const SHORTEST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** Of the time waited so far; so that at most this share of a job's duration is lost to not having asked. */
const SHARE = 1 / 8;

/** Asks at growing intervals until the job has ended or the time is up; resolves to the last answer either way. */
export async function waitUntilEnded<J extends { readonly seen: SeenJob }>(
  ask: () => Promise<J>,
  { surroundings, timeout, signal, onProgress }: WaitOptions,
): Promise<J> {
  const startedAt = surroundings.now();
  for (;;) {
    const job = await ask();
    onProgress?.(job.seen);
    const waited = surroundings.now() - startedAt;
    const left = timeout - waited;
    if (readState(job.seen.state) !== "pending" || left <= 0) return job;
    const pause = Math.min(Math.max(SHORTEST_PAUSE, waited * SHARE), LONGEST_PAUSE, left);
    await surroundings.sleep(pause, signal);
  }
}

/** Reads a job record without relying on more than a `state`, or `status`, somewhere near the top. */
export function seeJob(body: unknown): SeenJob {
  const record = isRecord(body) && isRecord(body.job) ? { ...body, ...body.job } : body;
  if (!isRecord(record)) return { state: "unknown", rowsProcessed: null, rowsTotal: null };
  const state = record.state ?? record.status;
  const progress = isRecord(record.progress) ? record.progress : {};
  return {
    state: typeof state === "string" ? state : "unknown",
    rowsProcessed: numberOrNull(progress.rowsProcessed),
    rowsTotal: numberOrNull(progress.rowsTotal),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);
