import { categorizeState } from "../../domain/diligence/states.ts";
import { ClaimsError, notFoundError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import { SUBMIT_OPERATION } from "./events.ts";
import { findScope, isInScope } from "./logged-writes.ts";
import { openWriteLog } from "./write-log.ts";
import type { WriteRecord } from "./write-record.ts";
import { toWriteRecords } from "./write-records.ts";

type Submission = WriteRecord & { readonly jobId: string };

/** The submissions of this machine to the service that have a job id, oldest first. */
async function readSubmissions(context: Context, service: Service): Promise<readonly Submission[]> {
  const scope = await findScope(service);
  return toWriteRecords(await openWriteLog(context).read()).filter(
    (record): record is Submission =>
      record.operation === SUBMIT_OPERATION && record.jobId !== null && isInScope(scope, record),
  );
}

export const listJobIds = async (context: Context, service: Service): Promise<readonly string[]> =>
  (await readSubmissions(context, service)).map(({ jobId }) => jobId);

/** The jobs of this machine that are not known to have failed. Of equal submissions, the last one counts. */
export async function listSubmittedJobs(context: Context, service: Service): Promise<readonly Submission[]> {
  const submissions = await readSubmissions(context, service);
  const current = submissions.filter(({ state }) => categorizeState(state ?? "") !== "failed");
  return [...new Map(current.map((submission) => [submission.content, submission])).values()];
}

const MAX_SELLERS = 9;

/** The sellers of this machine's submissions to any service, the latest first, without names that would control a terminal. */
export async function listSellers(context: Context): Promise<readonly string[]> {
  const records = toWriteRecords(await openWriteLog(context).read());
  const sellers = records.flatMap(
    ({ operation, seller }) => (operation === SUBMIT_OPERATION && seller) || [],
  );
  return [...new Set(sellers.reverse())].filter((name) => !/\p{C}/u.test(name)).slice(0, MAX_SELLERS);
}

export async function findLastJob(context: Context, service: Service): Promise<string> {
  const { connection } = service;
  const last = (await readSubmissions(context, service)).at(-1);
  if (last) return last.jobId;
  const { baseUrl, environment } = connection;
  throw notFoundError("no_last_job", `this machine submitted no job to ${baseUrl} (${environment})`, {
    hint: "`claims history --submissions --all` lists the jobs of this machine and their services",
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
    const isOurs = events.some(
      (event) => (event.type === "accepted" || event.type === "resolved") && event.jobId === jobId,
    );
    const last = events.findLast((event) => event.type === "state" && event.baseUrl === baseUrl);
    if (!isOurs || (last?.type === "state" && last.state === state)) return;
    await log.append({ type: "state", at: new Date(context.now()).toISOString(), baseUrl, jobId, state });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    printMessage(context, `warning: ${error.message}; the state of the job is not logged`);
  }
}
