import { randomUUID } from "node:crypto";
import type { ApiResponse } from "../../client/http/response.ts";
import { ClaimsError, rephraseError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import type { WriteDescription } from "./describe-write.ts";
import type { Intent, WriteEvent } from "./events.ts";
import { openWriteLog, type WriteLog } from "./write-log.ts";
import {
  findScope,
  hasUnknownOutcome,
  isInScope,
  toWriteRecords,
  type WriteRecord,
  type WriteScope,
} from "./write-record.ts";

/** The writes of this machine to one service. */
export interface LoggedWrites {
  readonly scope: WriteScope;
  readonly records: readonly WriteRecord[];
}

/** None for a dry run, and for a sandbox that stops with the command. */
export async function readLoggedWrites(
  context: Context,
  { connection, isDryRun }: Service,
): Promise<LoggedWrites> {
  const scope = await findScope(connection);
  if (connection.isTemporary || isDryRun) return { scope, records: [] };
  const records = toWriteRecords(await openWriteLog(context).read());
  return { scope, records: records.filter((record) => isInScope(scope, record)) };
}

/**
 * Sends a write with its intent on disk before the request and its outcome after it (product.md §4).
 *
 * @param given the key of the command line. Default: the key of the same write if its outcome is unknown, or a new one
 */
export async function sendLogged(
  context: Context,
  service: Service,
  { given, ...write }: WriteDescription & { readonly given?: string | undefined },
  send: (idempotencyKey: string) => Promise<ApiResponse>,
  earlier?: LoggedWrites,
): Promise<ApiResponse> {
  if (service.connection.isTemporary || service.isDryRun) return send(given ?? randomUUID());
  const { scope, records } = earlier ?? (await readLoggedWrites(context, service));
  const same = records.filter(({ content }) => content === write.content);
  const key = given ?? findUnknownKey(context, same) ?? randomUUID();
  return logAndSend(context, [openWriteLog(context)], { ...write, ...scope, key }, () => send(key));
}

/** The key of the same write with an unknown outcome. Under that key, the service executes it once. */
function findUnknownKey(context: Context, same: readonly WriteRecord[]): string | null {
  const unknown = same.findLast((record) => hasUnknownOutcome(record, context));
  if (unknown === undefined) return null;
  const { at, key } = unknown;
  printMessage(
    context,
    `warning: the outcome of the same write at ${at} is unknown; sending it again with key ${key}`,
  );
  return key;
}

/**
 * Writes the intent to every log, sends the request, writes the outcome to every log.
 *
 * @throws the error of `send`, and `write_log_unwritable` before anything is sent
 */
export async function logAndSend(
  context: Context,
  logs: readonly WriteLog[],
  { jobIdOf, ...write }: WriteDescription & WriteScope & Pick<Intent, "key">,
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { content, key } = write;
  const { own } = context.processes;
  const at = () => new Date(context.now()).toISOString();
  const id = () => ({ at: at(), key, content, pid: own.pid });
  const started: WriteLog[] = [];
  let response: ApiResponse;
  try {
    for (const log of logs) {
      await log.append({ type: "intent", at: at(), ...write, ...own });
      started.push(log);
    }
    response = await send();
  } catch (error) {
    // If one log refuses the intent, nothing is sent, and the other logs need an outcome.
    await appendOutcome(context, started, { ...id(), ...toOutcome(error) });
    throw error instanceof ClaimsError && isOutcomeUnknown(error) ? addRetryHint(error) : error;
  }
  const { status } = response;
  await appendOutcome(context, logs, { type: "accepted", ...id(), jobId: jobIdOf(response), status });
  return response;
}

/** The outcome stands if it cannot be written. Readers of the log then see it as unknown. */
async function appendOutcome(
  context: Context,
  logs: readonly WriteLog[],
  outcome: WriteEvent,
): Promise<void> {
  for (const log of logs) {
    try {
      await log.append(outcome);
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      printMessage(context, `warning: ${error.message}; it shows the outcome of this write as unknown`);
    }
  }
}

/** Whether the service may have executed a write that failed with this error. */
export const isOutcomeUnknown = ({ code }: ClaimsError): boolean =>
  code === "outcome_unknown" || code === "interrupted_unknown";

/** Another error may have happened at any point. */
function toOutcome(error: unknown) {
  if (!(error instanceof ClaimsError)) return { type: "unknown", code: "unexpected" } as const;
  const { code, status = null } = error;
  if (isOutcomeUnknown(error)) return { type: "unknown", code } as const;
  return { type: "refused", code, status } as const;
}

const addRetryHint = (error: ClaimsError): ClaimsError =>
  rephraseError(error, {
    hint: "run the command again: it uses the same key; `claims history --unknown` lists such writes",
  });
