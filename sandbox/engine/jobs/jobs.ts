import { rm } from "node:fs/promises";
import { timeToDay } from "../../../src/domain/entries/dates.ts";
import type { Caller } from "../../store/credentials.ts";
import {
  addJob,
  beginRun,
  endRun,
  type FileFindings,
  findJob,
  type JobRow,
  NO_PROGRESS,
  requeueJob,
  setJobFindings,
  setJobProgress,
} from "../../store/jobs.ts";
import type { Store } from "../../store/open.ts";
import { AbortScope } from "../abort-scope.ts";
import type { RandomSource } from "../random.ts";
import type { Clock } from "../scheduler/clock.ts";
import type { FollowUpTask, Scheduler } from "../scheduler/scheduler.ts";
import { Semaphore } from "../semaphore.ts";
import { readJobFile } from "./job-runner.ts";
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
  /** Where the file is; the job removes it when it has read it. */
  readonly path: string;
}

interface JobsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly speed: JobSpeed;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs the jobs: start and finish are rows of the agenda, the reading of the file lies between them. The file is read
 * in the first run only; every later outcome follows from what was found then, so nothing is counted twice.
 */
export class Jobs {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #random: RandomSource;
  readonly #delays: { readonly start: number; readonly finish: number };
  readonly #onError: (error: unknown) => void;
  readonly #semaphore = new Semaphore(MAX_FILES_READ_AT_ONCE);
  #unreadFiles = new Map<string, string>();
  readonly #abortScope = new AbortScope();

  constructor(options: JobsOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#scheduler = options.scheduler;
    this.#random = options.random;
    this.#delays = DELAYS[options.speed];
    this.#onError = options.onError;
    this.#scheduler.handle("job.start", (id) => {
      const { signal } = this.#abortScope;
      return this.#semaphore.run(() => this.#start(id, signal));
    });
    this.#scheduler.handle("job.finish", (id) => this.#finish(id));
  }

  submit({ partner, environment }: Caller, { path, ...submission }: NewJobFile): JobRow {
    const id = this.#random.uuid("job");
    const createdAt = this.#clock.now();
    addJob(this.#store, {
      ...submission,
      id,
      partner,
      environment,
      createdAt,
      asOf: timeToDay(createdAt),
    });
    this.#unreadFiles.set(id, path);
    this.#scheduleStart(id);
    return this.#find(id);
  }

  /** For a partial or failed job. */
  resume(id: string): JobRow {
    requeueJob(this.#store, id);
    this.#scheduleStart(id);
    return this.#find(id);
  }

  /** Makes what is under way give up; what begins later does not. */
  abort(): void {
    this.#abortScope.abort();
  }

  /** The files that no run has begun to read yet: job id and path. */
  unreadFiles(): readonly (readonly [id: string, path: string])[] {
    return [...this.#unreadFiles];
  }

  /** Puts others in their place, and hands over those that were there: they are the caller's to remove. */
  replaceUnreadFiles(files: Iterable<readonly [id: string, path: string]>): readonly string[] {
    const paths = [...this.#unreadFiles.values()];
    this.#unreadFiles = new Map(files);
    return paths;
  }

  #scheduleStart(id: string): void {
    this.#scheduler.schedule(this.#clock.now() + this.#delays.start, "job.start", id);
  }

  async #start(id: string, signal: AbortSignal): Promise<FollowUpTask | null> {
    if (signal.aborted) return null;
    beginRun(this.#store, id, this.#clock.now());
    const job = this.#find(id);
    const findings = job.findings ?? (await this.#readFile(job, signal));
    if (!findings) return null;
    setJobProgress(this.#store, id, resolveOutcome(findings, job.runCount).progress);
    const slow = findings.slow && job.runCount === 1 ? SLOW_JOB_MS : 0;
    return { dueAt: this.#clock.now() + this.#delays.finish + slow, kind: "job.finish" };
  }

  /** Null when it is abandoned meanwhile. */
  async #readFile(job: JobRow, signal: AbortSignal): Promise<FileFindings | null> {
    const path = this.#unreadFiles.get(job.id);
    if (path === undefined) throw new Error(`the file of job ${job.id} is gone`);
    this.#unreadFiles.delete(job.id);
    const findings = await readJobFile(this.#store, job, path, signal)
      .catch((error: unknown) => (signal.aborted ? null : this.#internalError(error)))
      .finally(() => rm(path, { force: true }));
    if (findings) setJobFindings(this.#store, job.id, findings);
    return findings;
  }

  #internalError(error: unknown): FileFindings {
    this.#onError(error);
    const detail = "The sandbox failed while it read the file. Submit it again.";
    return {
      fileError: { code: "internal_error", detail, line: null },
      failsOnce: null,
      failsAlways: null,
      deferred: 0,
      slow: false,
      progress: NO_PROGRESS,
    };
  }

  #finish(id: string): null {
    const job = this.#find(id);
    if (!job.findings) throw new Error(`job ${id} cannot finish before its file is read`);
    endRun(this.#store, id, { at: this.#clock.now(), ...resolveOutcome(job.findings, job.runCount) });
    return null;
  }

  #find(id: string): JobRow {
    const job = findJob(this.#store, id);
    if (!job) throw new Error(`job ${id} is on the agenda and not in the store`);
    return job;
  }
}
