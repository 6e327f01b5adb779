import { ClaimsError, notFoundError } from "../../domain/errors.ts";
import { isTemporary } from "../connection/connection.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import { findScope, isInScope } from "./scope.ts";
import { openWriteLog } from "./write-log.ts";
import { toWriteRecords } from "./write-record.ts";

/** The last job that was submitted from this machine to that service. */
export async function findLastJob(context: Context, { connection }: Service): Promise<string> {
  const scope = await findScope(context, connection);
  const last = toWriteRecords(await openWriteLog(context).read()).findLast(
    (entry) => entry.operation === SUBMIT_OPERATION && entry.jobId !== null && isInScope(scope, entry),
  );
  if (last?.jobId) return last.jobId;
  throw notFoundError(
    "no_last_job",
    `no job was submitted from this machine to ${connection.baseUrl} (${connection.environment})`,
    { hint: "`claims diligence history --all` lists what was submitted here, and where to" },
  );
}

/** Keeps the state in which a command has seen a job of ours, where it is news. */
export async function logJobState(
  context: Context,
  { connection }: Service,
  jobId: string,
  state: string,
): Promise<void> {
  if (isTemporary(connection)) return;
  const { baseUrl } = connection;
  try {
    const journal = openWriteLog(context);
    const records = await journal.read(JSON.stringify(jobId));
    const isOurs = records.some((record) => record.type === "accepted" && record.jobId === jobId);
    const lastState = records.findLast((record) => record.type === "state" && record.baseUrl === baseUrl);
    if (!isOurs || (lastState?.type === "state" && lastState.state === state)) return;
    await journal.append({ type: "state", at: new Date(context.now()).toISOString(), baseUrl, jobId, state });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    printMessage(context, `warning: ${error.message}; the state is not kept`);
  }
}
