import { ClaimsError } from "../../../domain/errors.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { readIds } from "../../files/read-ids.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import { type ListColumn, type Output, toListOutput } from "../../output/output.ts";
import { findLastJob } from "../../write-log/job-log.ts";

/** What a service told of one job: its record or its report. */
export interface JobResponse {
  readonly id: string;
  /** The bytes as they came. */
  readonly body: Buffer;
  readonly record: unknown;
  /** The answer is there, yet not what was hoped for. */
  readonly failure?: ClaimsError | undefined;
}

/** How a command line names jobs: by ids, `-` for those on stdin, or `--last`. */
interface JobsCall extends BaseInvocation {
  readonly args: { readonly jobs: readonly string[] };
  readonly options: { readonly last: boolean | undefined };
}

interface JobCall extends BaseInvocation {
  readonly args: { readonly job: string | undefined };
  readonly options: { readonly last: boolean | undefined };
}

/** Opens the service, and tells the jobs of it that the command line names. */
export async function openJobs(
  context: Context,
  call: JobsCall,
): Promise<{ readonly service: Service; readonly ids: readonly string[] }> {
  const { args, options } = call;
  const given = await readGivenIds(context, args.jobs, options.last);
  const service = await openService(context, call);
  return { service, ids: given ?? [await findLastJob(context, service)] };
}

/** Opens the service, and tells the only job of it that the command line names. */
export async function openJob(
  context: Context,
  { args, ...call }: JobCall,
): Promise<{ readonly service: Service; readonly id: string }> {
  const given = await readGivenIds(context, args.job === undefined ? [] : [args.job], call.options.last);
  if (given !== null && given.length !== 1) throw notOneJobError(given.length);
  const service = await openService(context, call);
  return { service, id: given?.[0] ?? (await findLastJob(context, service)) };
}

/** The ids themselves; null where they have to be looked up. */
async function readGivenIds(
  context: Context,
  words: readonly string[],
  last = false,
): Promise<readonly string[] | null> {
  if (last && words.length === 0) return null;
  if (last === words.length > 0) {
    throw new ClaimsError(
      "usage",
      last ? "last_and_ids" : "no_job_named",
      last ? "--last and a job id exclude each other" : "no job is named",
      { hint: "give a job id, - for ids on stdin, or --last for the last job submitted here" },
    );
  }
  return readIds(context, words, "pipe ids in: `claims diligence history -q | claims diligence status -`");
}

const notOneJobError = (count: number): ClaimsError =>
  new ClaimsError("usage", "one_job", `this takes one job id; stdin has ${count}`, {
    hint: "call it once for each: `… | xargs -n 1 claims diligence …`",
  });

/** The id, where the answer is one record; null where it is a list, as it also is for one job where a list was asked for. */
export function findSingleId(ids: readonly string[], { csv, ndjson }: GlobalOptions): string | null {
  return ids.length === 1 && !csv && !ndjson ? (ids[0] ?? null) : null;
}

/** Several jobs, one after the other, as a list; one that cannot be told does not keep the others from it. */
export function listEach(
  ids: readonly string[],
  ask: (id: string) => Promise<JobResponse>,
  columns: readonly ListColumn<JobResponse>[],
): Output {
  const failures: ClaimsError[] = [];
  async function* items(): AsyncGenerator<JobResponse> {
    for (const id of ids) {
      try {
        const response = await ask(id);
        if (response.failure) failures.push(response.failure);
        yield response;
      } catch (error) {
        if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
        failures.push(error);
      }
    }
  }
  return toListOutput<JobResponse>({
    items: items(),
    columns: [{ name: "job", isId: true, value: ({ id }) => id }, ...columns],
    idOf: ({ id }) => id,
    toRecord: ({ record }) => record,
    toJson: ({ body, record }) => (body.includes("\n") ? JSON.stringify(record) : body.toString("utf8")),
    emptyMessage: "no job id came in",
    failure: () => aggregateErrors(failures, `${ids.length} jobs`),
  });
}
