import { toSent } from "../../../contract/service-form/sent.ts";
import { ClaimsError, usageError } from "../../../domain/errors.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { readIds } from "../../files/input-file.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { type ListColumn, type Output, toListOutput } from "../../output/output.ts";
import { findLastJob } from "../../write-log/job-log.ts";
import type { JobResponse } from "./job.ts";

/** A command line names jobs by ids, by `-` for ids on stdin, or by `--last`. */
interface JobsInvocation extends BaseInvocation {
  readonly args: { readonly jobs: readonly string[] };
  readonly options: { readonly last: boolean | undefined };
}

interface JobInvocation extends BaseInvocation {
  readonly args: { readonly job: string | undefined };
  readonly options: JobsInvocation["options"];
}

export async function openJob(
  context: Context,
  { args, ...call }: JobInvocation,
): Promise<{ readonly service: Service; readonly id: string }> {
  const jobs = args.job === undefined ? [] : [args.job];
  const { service, ids } = await openJobs(context, { ...call, args: { jobs } }, requireSingleId);
  return { service, id: ids[0] ?? "" };
}

export function requireSingleId({ length }: readonly string[]): void {
  if (length === 1) return;
  throw usageError("option_conflict", `expected one job id; got ${length}`, {
    hint: "run it once for each id: `… | xargs -n 1 claims diligence …`",
  });
}

async function openJobs(context: Context, call: JobsInvocation, checkIds?: (ids: readonly string[]) => void) {
  const { jobs } = call.args;
  const { last = false } = call.options;
  if (last === jobs.length > 0) {
    const message = last ? "--last and a job id exclude each other" : "missing job id";
    throw usageError(last ? "option_conflict" : "missing_option", message, {
      hint: "give a job id, - for ids on stdin, or --last for the last job submitted here",
    });
  }
  const hint = "pipe ids in: `claims diligence history -q | claims diligence status -`";
  const given = await readIds(context, jobs, hint);
  if (!last) checkIds?.(given);
  const service = await openService(context, call);
  return { service, ids: last ? [await findLastJob(context, service)] : given };
}

interface JobsRequest<T> {
  /** Throws for ids that the command does not take. */
  readonly checkIds?: ((ids: readonly string[]) => void) | undefined;
  readonly fetch: (service: Service, id: string) => Promise<T>;
  /** One job as the only output. */
  readonly render: (fetched: T) => Output;
  /** One job as an item of a list. */
  readonly toItem: (fetched: T) => JobResponse;
  readonly columns: readonly ListColumn<JobResponse>[];
}

/** Prints one job as a record, unless --csv or --ndjson asks for a list. A job that fails does not stop the others. */
export async function showJobs<T>(
  context: Context,
  call: JobsInvocation,
  { checkIds, fetch, render, toItem, columns }: JobsRequest<T>,
): Promise<Output> {
  const { service, ids } = await openJobs(context, call, checkIds);
  const [first] = ids;
  if (first !== undefined && ids.length === 1 && !call.global.csv && !call.global.ndjson)
    return render(await fetch(service, first));
  const failures: ClaimsError[] = [];
  async function* items(): AsyncGenerator<JobResponse> {
    for (const id of ids) {
      try {
        const item = toItem(await fetch(service, id));
        if (item.failure) failures.push(item.failure);
        yield item;
      } catch (error) {
        if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
        failures.push(error);
      }
    }
  }
  return toListOutput({
    items: items(),
    columns: [{ name: "jobId", title: "job", isId: true, value: ({ id }) => id }, ...columns],
    idOf: ({ id }) => id,
    toRecord: ({ record }) => record,
    toJson: ({ body, record }) =>
      body.includes("\n") ? JSON.stringify(toSent(record)) : body.toString("utf8"),
    emptyMessage: "no jobs",
    failure: () => aggregateErrors(failures, `${ids.length} jobs`),
  });
}
