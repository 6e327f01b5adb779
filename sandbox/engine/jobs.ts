import { rm } from "node:fs/promises";
import { timeToDay } from "../../src/domain/entries/dates.ts";
import type { Caller } from "../store/credentials.ts";
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
} from "../store/jobs.ts";
import type { Store } from "../store/open.ts";
import type { Agenda, NextRow } from "./agenda.ts";
import type { Clock } from "./clock.ts";
import { outcomeOf } from "./outcome.ts";
import type { RandomSource } from "./random.ts";
import { readJobFile } from "./reading.ts";
import { Round } from "./round.ts";
import { Slots } from "./slots.ts";

export type JobSpeed = "instant" | "real";

/** Milliseconds from the request to the start, and from the end of reading to the outcome. */
export const DELAYS = { instant: { start: 0, finish: 0 }, real: { start: 1_000, finish: 3_000 } } as const;

/** product.md §5, scenario SBX-4: always on the clock, whatever the job speed. */
const SLOW_MS = 30_000;

const FILES_READ_AT_ONCE = 4;

export interface Submission {
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
  readonly agenda: Agenda;
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
  readonly #agenda: Agenda;
  readonly #random: RandomSource;
  readonly #delays: { readonly start: number; readonly finish: number };
  readonly #onError: (error: unknown) => void;
  readonly #slots = new Slots(FILES_READ_AT_ONCE);
  #unread = new Map<string, string>();
  readonly #round = new Round();

  constructor(options: JobsOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#agenda = options.agenda;
    this.#random = options.random;
    this.#delays = DELAYS[options.speed];
    this.#onError = options.onError;
    this.#agenda.when("job.start", (id) => {
      const { signal } = this.#round;
      return this.#slots.use(() => this.#start(id, signal));
    });
    this.#agenda.when("job.finish", (id) => this.#finish(id));
  }

  submit({ partner, environment }: Caller, { path, ...submission }: Submission): JobRow {
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
    this.#unread.set(id, path);
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
  abandon(): void {
    this.#round.abandon();
  }

  /** The files that no run has begun to read yet: job id and path. */
  unread(): readonly (readonly [id: string, path: string])[] {
    return [...this.#unread];
  }

  /** Puts others in their place, and hands over those that were there: they are the caller's to remove. */
  replaceUnread(files: Iterable<readonly [id: string, path: string]>): readonly string[] {
    const paths = [...this.#unread.values()];
    this.#unread = new Map(files);
    return paths;
  }

  #scheduleStart(id: string): void {
    this.#agenda.schedule(this.#clock.now() + this.#delays.start, "job.start", id);
  }

  async #start(id: string, signal: AbortSignal): Promise<NextRow | null> {
    if (signal.aborted) return null;
    beginRun(this.#store, id, this.#clock.now());
    const job = this.#find(id);
    const findings = job.findings ?? (await this.#read(job, signal));
    if (!findings) return null;
    setJobProgress(this.#store, id, outcomeOf(findings, job.runCount).progress);
    const slow = findings.slow && job.runCount === 1 ? SLOW_MS : 0;
    return { dueAt: this.#clock.now() + this.#delays.finish + slow, kind: "job.finish" };
  }

  /** Null when it is abandoned meanwhile. */
  async #read(job: JobRow, signal: AbortSignal): Promise<FileFindings | null> {
    const path = this.#unread.get(job.id);
    if (path === undefined) throw new Error(`the file of job ${job.id} is gone`);
    this.#unread.delete(job.id);
    const findings = await readJobFile(this.#store, job, path, signal)
      .catch((error: unknown) => (signal.aborted ? null : this.#unreadable(error)))
      .finally(() => rm(path, { force: true }));
    if (findings) setJobFindings(this.#store, job.id, findings);
    return findings;
  }

  #unreadable(error: unknown): FileFindings {
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
    endRun(this.#store, id, { at: this.#clock.now(), ...outcomeOf(job.findings, job.runCount) });
    return null;
  }

  #find(id: string): JobRow {
    const job = findJob(this.#store, id);
    if (!job) throw new Error(`job ${id} is on the agenda and not in the store`);
    return job;
  }
}
