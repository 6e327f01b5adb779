import { rm } from "node:fs/promises";
import { timeToDay } from "../../../src/domain/entries/dates.ts";
import type { Caller } from "../../store/credentials.ts";
import {
  beginRun,
  endRun,
  type FileFindings,
  findJob,
  JOBS,
  type JobRow,
  NO_PROGRESS,
  requeueJob,
} from "../../store/jobs.ts";
import { AbortScope } from "../abort-scope.ts";
import type { EngineCore } from "../core.ts";
import type { FollowUpTask } from "../scheduler/scheduler.ts";
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
  /** The job removes the file after reading it. */
  readonly path: string;
}

/**
 * Runs jobs: start and finish are scheduled tasks, and the file is read between them. Only the first run reads it. Later
 * outcomes follow from what that run found, so nothing is counted twice.
 */
export class Jobs {
  readonly #core: EngineCore;
  readonly #delays: { readonly start: number; readonly finish: number };
  readonly #semaphore = new Semaphore(MAX_FILES_READ_AT_ONCE);
  readonly #abortScope = new AbortScope();
  #unreadFiles = new Map<string, string>();

  constructor(core: EngineCore, speed: JobSpeed) {
    this.#core = core;
    this.#delays = DELAYS[speed];
    core.scheduler.handle("job.start", (id) => {
      const { signal } = this.#abortScope;
      return this.#semaphore.run(() => this.#start(id, signal));
    });
    core.scheduler.handle("job.finish", (id) => this.#finish(id));
  }

  submit({ partner, environment }: Caller, { path, ...file }: NewJobFile): JobRow {
    const { store, clock, random } = this.#core;
    const id = random.uuid("job");
    const createdAt = clock.now();
    JOBS.insert(store, { ...file, id, partner, environment, createdAt, asOf: timeToDay(createdAt) });
    this.#unreadFiles.set(id, path);
    return this.#queue(id);
  }

  /** For a partial or failed job. */
  resume(id: string): JobRow {
    requeueJob(this.#core.store, id);
    return this.#queue(id);
  }

  /** Ends the runs in progress, not those that start later. */
  abort(): void {
    this.#abortScope.abort();
  }

  /** The files that no run has started to read. */
  unreadFiles(): readonly (readonly [jobId: string, path: string])[] {
    return [...this.#unreadFiles];
  }

  /** Returns the paths of the former files. The caller removes them. */
  replaceUnreadFiles(files: Iterable<readonly [jobId: string, path: string]>): readonly string[] {
    const paths = [...this.#unreadFiles.values()];
    this.#unreadFiles = new Map(files);
    return paths;
  }

  #queue(id: string): JobRow {
    const { scheduler, clock } = this.#core;
    scheduler.schedule(clock.now() + this.#delays.start, "job.start", id);
    return this.#find(id);
  }

  async #start(id: string, signal: AbortSignal): Promise<FollowUpTask | null> {
    const { store, clock } = this.#core;
    if (signal.aborted) return null;
    beginRun(store, id, clock.now());
    const job = this.#find(id);
    const findings = job.findings ?? (await this.#readFile(job, signal));
    if (!findings) return null;
    JOBS.update(store, { id }, resolveOutcome(findings, job.runCount).progress);
    const slowMs = findings.slow && job.runCount === 1 ? SLOW_JOB_MS : 0;
    return { dueAt: clock.now() + this.#delays.finish + slowMs, kind: "job.finish" };
  }

  /** Returns null if the run was aborted meanwhile. */
  async #readFile(job: JobRow, signal: AbortSignal): Promise<FileFindings | null> {
    const { store, onError } = this.#core;
    const path = this.#unreadFiles.get(job.id);
    if (path === undefined) throw new Error(`job ${job.id} has no file`);
    this.#unreadFiles.delete(job.id);
    const findings = await readJobFile(store, job, path, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return null;
        onError(error);
        return UNREADABLE_FILE;
      })
      .finally(() => rm(path, { force: true }));
    if (findings) JOBS.update(store, { id: job.id }, { findings });
    return findings;
  }

  #finish(id: string): null {
    const { store, clock } = this.#core;
    const job = this.#find(id);
    if (!job.findings) throw new Error(`job ${id} cannot finish before its file is read`);
    endRun(store, id, { at: clock.now(), ...resolveOutcome(job.findings, job.runCount) });
    return null;
  }

  #find(id: string): JobRow {
    const job = findJob(this.#core.store, id);
    if (!job) throw new Error(`job ${id} is on the agenda but not in the store`);
    return job;
  }
}

const UNREADABLE_FILE: FileFindings = {
  fileError: {
    code: "internal_error",
    detail: "The sandbox failed while it read the file. Submit it again.",
    line: null,
  },
  failsOnce: null,
  failsAlways: null,
  deferred: 0,
  slow: false,
  progress: NO_PROGRESS,
};
