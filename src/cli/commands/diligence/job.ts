import type { Answer } from "../../../client/client.ts";
import { type SeenJob, seeJob, waitUntilEnded } from "../../../client/wait.ts";
import { readState } from "../../../domain/diligence/states.ts";
import { FILE_FAULT_CODES } from "../../../domain/entries/file-fault.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { GlobalOptions } from "../../command.ts";
import type { Context } from "../../context.ts";
import { withThousands } from "../../output/numbers.ts";
import type { Card, Output } from "../../output/output.ts";
import { startProgress } from "../../progress.ts";
import type { Service } from "../../service.ts";
import { type FailingOutcome, judged } from "./outcome.ts";
import { reportBlocks } from "./report-card.ts";

/** How long `--wait` waits unless `--timeout` says otherwise (product.md §3). */
const DEFAULT_WAIT = 15 * 60_000;

/** A job as the service told it, and what we read out of it. */
export interface ToldJob {
  readonly id: string;
  readonly body: Buffer;
  readonly record: unknown;
  readonly seen: SeenJob;
}

/** Reads JSON that a service sent, or says what came instead. */
export function parseAnswer({ body, headers }: Answer, what: string): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    const type = headers["content-type"] ?? "no content type";
    throw new ClaimsError(
      "unreachable",
      "unexpected_answer",
      `${what}: the answer is not JSON (${type}, ${body.length} bytes)`,
      {
        hint: "check that the base URL is the service itself",
        cause: error,
      },
    );
  }
}

export function toldJob(id: string, answer: Answer): ToldJob {
  const record = parseAnswer(answer, `job ${id}`);
  return { id, body: answer.body, record, seen: seeJob(record) };
}

export async function askForJob({ client, operations }: Service, id: string): Promise<ToldJob> {
  return toldJob(id, await client.send(operations.diligence.status, { params: { jobId: id } }));
}

/** A job, and what was not as hoped. */
export function jobOutput(job: ToldJob, failure?: ClaimsError): Output {
  return { kind: "document", json: job.body, blocks: [jobCard(job)], failure };
}

/** A job as a card: what the service sent, under the names it uses. */
export const jobCard = ({ id, record }: ToldJob): Card => ({
  kind: "card",
  title: `Job ${id}`,
  rows: scalarsOf(record, ""),
});

function scalarsOf(value: unknown, prefix: string): [string, string][] {
  if (typeof value !== "object" || value === null) return [[prefix, value === null ? "–" : String(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    scalarsOf(inner, prefix ? `${prefix}.${name}` : name),
  );
}

/** Waits for the end of a job and says how it went: its report, or the job where there is none. */
export async function followJob(
  context: Context,
  service: Service,
  global: GlobalOptions,
  id: string,
  { failOn }: { readonly failOn?: FailingOutcome | undefined },
): Promise<Output> {
  const job = await waitForEnd(context, service, global, id);
  const state = readState(job.seen.state);
  if (state === "pending") return jobOutput(job, stillPending(job, global.timeout ?? DEFAULT_WAIT));
  if (state === "failed") return jobOutput(job, endedBadly(job));
  const answer = await service.client.send(service.operations.diligence.report, { params: { jobId: id } });
  const report = parseAnswer(answer, `the report of job ${id}`);
  return {
    kind: "document",
    json: answer.body,
    blocks: reportBlocks(report),
    failure: state === "partial" ? endedBadly(job) : judged(report, failOn),
  };
}

async function waitForEnd(
  context: Context,
  service: Service,
  global: GlobalOptions,
  id: string,
): Promise<ToldJob> {
  const progress = startProgress(context.stderr, "waiting for the job");
  try {
    return await waitUntilEnded(() => askForJob(service, id), {
      surroundings: context,
      timeout: global.timeout ?? DEFAULT_WAIT,
      signal: context.signal,
      onProgress: (seen) => progress.update(progressText(seen)),
    });
  } catch (error) {
    throw context.signal.aborted ? interruptedWait(id, error) : lostSight(id, error);
  } finally {
    progress.stop();
  }
}

function progressText({ state, rowsProcessed, rowsTotal }: SeenJob): string {
  if (!rowsProcessed) return state;
  const of = rowsTotal === null ? "" : ` of ${withThousands(rowsTotal)}`;
  return `${state}: ${withThousands(rowsProcessed)}${of} rows`;
}

const interruptedWait = (id: string, cause: unknown): ClaimsError =>
  new ClaimsError("interrupted", "interrupted", "interrupted; the job goes on without us", {
    hint: `claims diligence wait ${id}`,
    cause,
  });

/** A service that cannot be reached any more: the job may well go on. */
function lostSight(id: string, error: unknown): unknown {
  if (!(error instanceof ClaimsError) || error.kind !== "unreachable") return error;
  const { code, message, status, requestId, retryable } = error;
  const hint = `the job may go on; ask again with: claims diligence wait ${id}`;
  return new ClaimsError("unreachable", code, message, { hint, status, requestId, retryable, cause: error });
}

const stillPending = ({ id, seen }: ToldJob, waited?: number): ClaimsError =>
  new ClaimsError(
    "pending",
    "still_pending",
    `job ${id} is still ${seen.state}${waited === undefined ? "" : ` after ${waited / 1000} s`}`,
    {
      hint: `claims diligence wait ${id}`,
      retryable: true,
    },
  );

/** A job that ended partial or failed, with the reason where the service gives one. */
function endedBadly({ id, record, seen }: ToldJob): ClaimsError {
  const { failure } = (record ?? {}) as { failure?: { code?: unknown; detail?: unknown } | null };
  const reason = [failure?.code, failure?.detail].filter((part) => typeof part === "string").join(": ");
  const message = `job ${id} ended ${seen.state}${reason && ` (${reason})`}`;
  const isFileFault = (FILE_FAULT_CODES as readonly unknown[]).includes(failure?.code);
  return new ClaimsError("unfinished_job", `job_${readState(seen.state)}`, message, {
    // Resuming would read the same file again.
    hint: isFileFault
      ? "mend the file and submit it again; claims diligence check FILE looks at it offline"
      : `claims diligence resume ${id} --wait`,
  });
}

/**
 * Why a report or dataset could not be read. Which status and code say "not yet" is nowhere documented (§7), so a
 * refusal is explained by the job's own state.
 */
export async function whyNotReadable(service: Service, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ClaimsError) || error.kind !== "rejected") return error;
  const job = await askForJob(service, id);
  const state = readState(job.seen.state);
  if (state === "pending") return stillPending(job);
  return state === "failed" ? endedBadly(job) : error;
}
