import { ClaimsError, notFoundError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import { openWriteLog } from "./write-log.ts";
import { findScope, isInScope, toWriteRecords } from "./write-record.ts";

/** The last job that this machine submitted to the service. */
export async function findLastJob(context: Context, { connection }: Service): Promise<string> {
  const scope = await findScope(connection);
  const last = toWriteRecords(await openWriteLog(context).read()).findLast(
    (record) => record.operation === SUBMIT_OPERATION && record.jobId !== null && isInScope(scope, record),
  );
  if (last?.jobId) return last.jobId;
  const { baseUrl, environment } = connection;
  throw notFoundError("no_last_job", `this machine submitted no job to ${baseUrl} (${environment})`, {
    hint: "`claims diligence history --all` lists the jobs of this machine and their services",
  });
}

export async function logJobState(
  context: Context,
  { connection: { baseUrl, isTemporary } }: Service,
  jobId: string,
  state: string,
): Promise<void> {
  if (isTemporary) return;
  try {
    const log = openWriteLog(context);
    const events = await log.read(JSON.stringify(jobId));
    const isOurs = events.some((event) => event.type === "accepted" && event.jobId === jobId);
    const last = events.findLast((event) => event.type === "state" && event.baseUrl === baseUrl);
    if (!isOurs || (last?.type === "state" && last.state === state)) return;
    await log.append({ type: "state", at: new Date(context.now()).toISOString(), baseUrl, jobId, state });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    printMessage(context, `warning: ${error.message}; the state of the job is not logged`);
  }
}
