import type { JobState } from "../../../src/domain/diligence/states.ts";
import { timeToDay } from "../../../src/domain/entries/dates.ts";
import { createLimit } from "../../../src/domain/limit.ts";
import type { Caller } from "../../store/credentials.ts";
import {
  type FileFindings,
  JOBS,
  type JobFailure,
  type JobRow,
  NO_FINDINGS,
  NO_PROGRESS,
} from "../../store/jobs.ts";
import { createAbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
import type { Upload } from "../uploads.ts";
import { JobFileReader } from "./job-file-reader.ts";
import { resolveOutcome } from "./outcome.ts";

export type JobSpeed = "instant" | "real";

/** Milliseconds from the request to the start, and from the end of reading to the outcome. */
export const DELAYS = { instant: { start: 0, finish: 0 }, real: { start: 1_000, finish: 3_000 } } as const;

/** product.md §5, scenario SBX-4: always on the clock, whatever the job speed. */
const SLOW_JOB_MS = 30_000;

const MAX_FILES_READ_AT_ONCE = 4;

export interface NewJobFile {
  readonly sellerName: string;
  readonly requiresProtestDocumentation: boolean;
  readonly fileName: string | null;
  readonly fileBytes: number;
  /** The job removes it after reading it. */
  readonly upload: Upload;
}

/** A run of a job has begun or ended. */
export interface JobChange {
  readonly kind: "job";
  /** Its place among all that happens in the sandbox. */
  readonly timelinePosition: number;
  readonly jobId: string;
  /** Sandbox time. */
  readonly at: number;
  readonly runCount: number;
  readonly state: JobState;
  readonly failure: JobFailure | null;
}

/** Runs jobs as scheduled tasks. Only the first run reads the file; later outcomes follow from what it found. */
export function createJobs(
  { store, clock, scheduler, random, onError }: EngineCore,
  speed: JobSpeed,
  onChange: (change: Omit<JobChange, "kind" | "timelinePosition">) => void,
) {
  const delays = DELAYS[speed];
  const limit = createLimit(MAX_FILES_READ_AT_ONCE);
  const abortScope = createAbortScope();
  /** The files that no run has read yet, by the id of their job. */
  let pendingUploads = new Map<string, Upload>();

  scheduler.handle("job.start", (id) => abortScope.run(limit, (signal) => start(id, signal)));
  scheduler.handle("job.finish", finish);

  return {
    submit(caller: Caller, { upload, ...file }: NewJobFile): JobRow {
      const id = random.uuid("job");
      const createdAt = clock.now();
      JOBS.insert(store, { ...file, ...caller, id, createdAt, asOf: timeToDay(createdAt) });
      pendingUploads.set(id, upload);
      scheduleStart(id);
      return JOBS.get(store, { id });
    },

    /** For a partial or failed job. What its file contains stays known. */
    resume(id: string): JobRow {
      const unstarted = { state: "queued", startedAt: null, finishedAt: null, failure: null } as const;
      JOBS.update(store, { id }, { ...unstarted, ...NO_PROGRESS });
      scheduleStart(id);
      return JOBS.get(store, { id });
    },

    /** Ends the runs in progress, not those that start later. */
    abort: abortScope.abort,

    listPendingUploads: (): readonly (readonly [jobId: string, upload: Upload])[] => [...pendingUploads],

    async replacePendingUploads(uploads: Iterable<readonly [jobId: string, upload: Upload]>): Promise<void> {
      const former = [...pendingUploads.values()];
      pendingUploads = new Map(uploads);
      await Promise.all(former.map((upload) => upload.remove()));
    },
  };

  function scheduleStart(id: string): void {
    scheduler.schedule(clock.now() + delays.start, "job.start", id);
  }

  async function start(id: string, signal: AbortSignal): Promise<FollowUpTask | null> {
    const at = clock.now();
    const job = JOBS.get(store, { id });
    const runCount = job.runCount + 1;
    JOBS.update(store, { id }, { state: "processing", runCount, startedAt: at });
    onChange({ jobId: id, at, runCount, state: "processing", failure: null });
    const findings = job.findings ?? (await readFile(job, signal));
    if (!findings) return null;
    JOBS.update(store, { id }, resolveOutcome(findings, runCount).progress);
    const slowMs = findings.slow && runCount === 1 ? SLOW_JOB_MS : 0;
    return { dueAt: clock.now() + delays.finish + slowMs, kind: "job.finish" };
  }

  /** Returns null if the run was aborted meanwhile. */
  async function readFile(job: JobRow, signal: AbortSignal): Promise<FileFindings | null> {
    const upload = pendingUploads.get(job.id);
    if (upload === undefined) throw new Error(`job ${job.id} has no file`);
    pendingUploads.delete(job.id);
    const findings = await new JobFileReader(store, job, signal)
      .read(upload)
      .catch((error: unknown) => {
        if (signal.aborted) return null;
        onError(error);
        return UNREADABLE_FILE;
      })
      .finally(() => upload.remove());
    if (findings) JOBS.update(store, { id: job.id }, { findings });
    return findings;
  }

  function finish(id: string): null {
    const { findings, runCount } = JOBS.get(store, { id });
    if (!findings) throw new Error(`job ${id} cannot finish before its file is read`);
    const { progress, ...outcome } = resolveOutcome(findings, runCount);
    const at = clock.now();
    JOBS.update(store, { id }, { ...outcome, ...progress, finishedAt: at });
    onChange({ jobId: id, at, runCount, ...outcome });
    return null;
  }
}

const UNREADABLE_FILE: FileFindings = {
  ...NO_FINDINGS,
  fileError: {
    code: "internal_error",
    detail: "The sandbox failed while it read the file. Submit it again.",
    line: null,
  },
};
