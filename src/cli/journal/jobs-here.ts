import { ClaimsError } from "../../domain/errors.ts";
import { endsWithCommand } from "../connection.ts";
import type { Context } from "../context.ts";
import { say } from "../say.ts";
import type { Service } from "../service.ts";
import { entriesOf } from "./entry.ts";
import { journalOf } from "./journal.ts";
import { SUBMISSION } from "./record.ts";
import { isWithin, scopeOf } from "./scope.ts";

/** The last job that was submitted from this machine to that service. */
export async function lastJob(context: Context, { connection }: Service): Promise<string> {
  const scope = await scopeOf(context, connection);
  const last = entriesOf(await journalOf(context).read()).findLast(
    (entry) => entry.operation === SUBMISSION && entry.jobId !== null && isWithin(scope, entry),
  );
  if (last?.jobId) return last.jobId;
  throw new ClaimsError(
    "not_found",
    "no_last_job",
    `no job was submitted from this machine to ${connection.baseUrl} (${connection.environment})`,
    { hint: "`claims diligence history --all` lists what was submitted here, and where to" },
  );
}

/** Keeps the state in which a command has seen a job of ours, where it is news. */
export async function noteState(
  context: Context,
  { connection }: Service,
  jobId: string,
  state: string,
): Promise<void> {
  if (endsWithCommand(connection)) return;
  const { baseUrl } = connection;
  try {
    const journal = journalOf(context);
    const records = await journal.read(JSON.stringify(jobId));
    const isOurs = records.some((record) => record.type === "accepted" && record.jobId === jobId);
    const seen = records.findLast((record) => record.type === "state" && record.baseUrl === baseUrl);
    if (!isOurs || (seen?.type === "state" && seen.state === state)) return;
    await journal.append({ type: "state", at: new Date(context.now()).toISOString(), baseUrl, jobId, state });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    say(context, `warning: ${error.message}; the state is not kept`);
  }
}
