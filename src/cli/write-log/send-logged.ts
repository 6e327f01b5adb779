import { randomUUID } from "node:crypto";
import type { ApiResponse } from "../../client/client.ts";
import { ClaimsError, rephraseError } from "../../domain/errors.ts";
import { isTemporary } from "../connection/connection.ts";
import { isDryRun, type Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import { printMessage } from "../output/stderr.ts";
import { type Accepted, type Intent, SUBMIT_OPERATION, type WriteEvent } from "./events.ts";
import { findScope, isInScope, type WriteScope } from "./scope.ts";
import { openWriteLog, type WriteLog } from "./write-log.ts";
import { hasUnknownOutcome, toWriteRecords, type WriteRecord } from "./write-record.ts";

/** A write as the journal keeps it, before anybody knows when it leaves and under which key. */
export type WriteDescription = Pick<Intent, "operation" | "content" | "seller" | "file" | "bytes"> & {
  /** The job that an answer speaks of. */
  readonly jobIdOf: (answer: ApiResponse) => string | null;
};

/**
 * Sends a write whose intent is on disk before it leaves and whose outcome is after it (product.md §4).
 *
 * @param given the key that the command line names; otherwise that of the same write, while its outcome is unknown,
 *   or a fresh one
 */
export async function sendLogged(
  context: Context,
  { global }: Pick<BaseInvocation, "global">,
  { connection }: Service,
  { given, ...write }: WriteDescription & { readonly given?: string | undefined },
  send: (idempotencyKey: string) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (isTemporary(connection) || isDryRun(global)) return send(given ?? randomUUID());
  const journal = openWriteLog(context);
  const scope = await findScope(context, connection);
  const same = toWriteRecords(await journal.read()).filter(
    (entry) => entry.content === write.content && isInScope(scope, entry),
  );
  const key = given ?? findUnknownKey(context, same) ?? randomUUID();
  if (write.operation === SUBMIT_OPERATION) warnAboutDuplicate(context, write, same, key);
  return logAndSend(context, [journal], { ...write, ...scope, key }, () => send(key));
}

/** The key of the same write, if nobody knows how that went: sent under it again, it cannot happen twice. */
function findUnknownKey(context: Context, same: readonly WriteRecord[]): string | null {
  const unknown = same.findLast((entry) => hasUnknownOutcome(entry, context));
  if (unknown === undefined) return null;
  printMessage(
    context,
    `the outcome of the same write at ${unknown.at} is unknown; it is sent again under its key ${unknown.key}`,
  );
  return unknown.key;
}

/**
 * Says where the same submission was made before, or is being made.
 *
 * @param key under which it is sent: one of that key is no other
 */
export function warnAboutDuplicate(
  context: Context,
  { file }: Pick<WriteDescription, "file">,
  same: readonly WriteRecord[],
  key: string | null,
): void {
  const others = same.filter((entry) => entry.key !== key);
  const accepted = others.findLast(({ outcome }) => outcome === "accepted");
  if (accepted) {
    const job = accepted.jobId === null ? "without a job id" : `as job ${accepted.jobId}`;
    printMessage(
      context,
      `warning: ${file}: the same was accepted at ${accepted.at} ${job}; this makes another one`,
    );
  }
  const inFlight = others.find((entry) => entry.outcome === "open" && !hasUnknownOutcome(entry, context));
  if (inFlight)
    printMessage(context, `warning: ${file}: process ${inFlight.pid} is sending the same right now`);
}

/**
 * Intent, request, outcome: each on disk, in every one of the journals, before the next.
 *
 * @throws what `send` throws, and before anything is sent `journal_unwritable`
 */
export async function logAndSend(
  context: Context,
  journals: readonly WriteLog[],
  { jobIdOf, ...write }: WriteDescription & WriteScope & Pick<Intent, "key">,
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { content, key } = write;
  const { own } = context.processes;
  const at = () => new Date(context.now()).toISOString();
  const ofThis = () => ({ at: at(), key, content, pid: own.pid });
  const started: WriteLog[] = [];
  let answer: ApiResponse;
  try {
    for (const journal of journals) {
      await journal.append({ type: "intent", at: at(), ...write, ...own });
      started.push(journal);
    }
    answer = await send();
  } catch (error) {
    // Where only some could take the intent, nothing was sent: without an end there, it would be in doubt.
    await appendOutcome(context, started, { ...ofThis(), ...toOutcome(error) });
    throw error instanceof ClaimsError && isOutcomeUnknown(error) ? addRetryHint(error) : error;
  }
  const accepted = {
    type: "accepted",
    ...ofThis(),
    jobId: jobIdOf(answer),
    status: answer.status,
  } as const;
  await appendOutcome(context, journals, accepted satisfies Accepted);
  return answer;
}

/** The outcome stands whether or not it can be written down; unwritten, it is unknown to whoever reads the journal. */
async function appendOutcome(
  context: Context,
  journals: readonly WriteLog[],
  record: WriteEvent,
): Promise<void> {
  for (const journal of journals) {
    try {
      await journal.append(record);
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      printMessage(context, `warning: ${error.message}; it will tell of this write as unknown`);
    }
  }
}

const UNKNOWN_OUTCOME_CODES: ReadonlySet<string> = new Set(["outcome_unknown", "interrupted_unknown"]);

/** Whether a write that failed like this may have been carried out. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean => UNKNOWN_OUTCOME_CODES.has(code);

/** What is no error of ours may have happened at any point of the way. */
function toOutcome(error: unknown) {
  if (!(error instanceof ClaimsError)) return { type: "unknown", code: "unexpected" } as const;
  const { code, status = null } = error;
  return isOutcomeUnknown(error)
    ? ({ type: "unknown", code } as const)
    : ({ type: "refused", code, status } as const);
}

const addRetryHint = (error: ClaimsError): ClaimsError =>
  rephraseError(error, {
    hint: "run the same command again: it goes out under the same key; or see `claims diligence history --unknown`",
  });
