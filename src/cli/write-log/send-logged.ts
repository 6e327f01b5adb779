import { randomUUID } from "node:crypto";
import { ClaimsError, rephraseError } from "../../domain/errors.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { keepResponse } from "../files/save-response.ts";
import { printMessage } from "../output/stderr.ts";
import { findDecision, isUnrecognized, unknownBeforeError, type WriteResponse } from "./decision.ts";
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
  /** Those that record a write. */
  readonly logs: readonly WriteLog[];
}

/** None for a dry run, and for a sandbox that stops with the command. */
export async function readLoggedWrites(
  context: Context,
  { connection, isDryRun }: Service,
): Promise<LoggedWrites> {
  const scope = await findScope(connection);
  if (connection.isTemporary || isDryRun) return { scope, records: [], logs: [] };
  const log = openWriteLog(context);
  const records = toWriteRecords(await log.read());
  return { scope, records: records.filter((record) => isInScope(scope, record)), logs: [log] };
}

/** The response to an accepted write. */
export interface LoggedResponse extends WriteResponse {
  readonly jobId: string | null;
  /** Why a person must make a decision about it. */
  readonly failure?: ClaimsError | undefined;
}

/**
 * Sends a write with its intent on disk before the request and its outcome after it (product.md §4).
 *
 * @param given the key of the command line. Default: the key of the same write if its outcome is unknown, or a new one
 * @throws ClaimsError `response_unrecognized`, also without sending it if an earlier response to it was not recognized
 */
export async function sendLogged(
  context: Context,
  service: Service,
  { given, ...write }: WriteDescription & { readonly given?: string | undefined },
  send: (idempotencyKey: string) => Promise<WriteResponse>,
): Promise<LoggedResponse> {
  const { logs, records, scope } = await readLoggedWrites(context, service);
  const same = records.filter(({ content }) => content === write.content);
  const unknown = same.filter((record) => hasUnknownOutcome(record, context));
  const unrecognized = unknown.find(isUnrecognized);
  if (unrecognized) throw unknownBeforeError(unrecognized);
  const key = given ?? findUnknownKey(context, unknown) ?? randomUUID();
  return logAndSend(context, logs, { ...write, ...scope, key }, () => send(key));
}

/** The key of the same write with an unknown outcome. Under that key, the service executes it once. */
function findUnknownKey(context: Context, unknown: readonly WriteRecord[]): string | null {
  const last = unknown.at(-1);
  if (last === undefined) return null;
  const { at, key } = last;
  printMessage(
    context,
    `warning: the outcome of the same write at ${at} is unknown; sending it again with key ${key}`,
  );
  return key;
}

/**
 * Writes the intent to every log, sends the request, writes the outcome to every log.
 *
 * @throws the error of `send`, `response_unrecognized`, and `write_log_unwritable` before anything is sent
 */
export async function logAndSend(
  context: Context,
  logs: readonly WriteLog[],
  { jobId: knownId, ...write }: WriteDescription & WriteScope & Pick<Intent, "key">,
  send: () => Promise<WriteResponse>,
): Promise<LoggedResponse> {
  const { content, key } = write;
  const { own } = context.processes;
  const at = () => new Date(context.now()).toISOString();
  const id = () => ({ at: at(), key, content, pid: own.pid });
  const started: WriteLog[] = [];
  let response: WriteResponse;
  try {
    for (const log of logs) {
      await log.append({ type: "intent", at: at(), ...write, ...own });
      started.push(log);
    }
    response = await send();
  } catch (error) {
    // If one log refuses the intent, nothing is sent, and the other logs need an outcome.
    await appendOutcome(context, started, { ...id(), ...toOutcome(error) });
    throw error instanceof ClaimsError && isOutcomeUnknown(error) && !isUnrecognized(error)
      ? addRetryHint(error)
      : error;
  }
  const { jobId = knownId, status } = response;
  const decision = findDecision(write, { ...response, jobId });
  const saved = decision && (await keepResponse(context, "write", response.body));
  const failure = saved
    ? rephraseError(decision, { message: `${decision.message}; ${saved.note}` })
    : undefined;
  const outcome = { ...id(), code: failure?.code, responseFile: saved?.path };
  if (failure && isOutcomeUnknown(failure)) {
    await appendOutcome(context, logs, { type: "unknown", ...outcome, code: failure.code });
    throw failure;
  }
  await appendOutcome(context, logs, { type: "accepted", ...outcome, jobId, status });
  return { ...response, jobId, failure };
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
  code === "outcome_unknown" || code === "interrupted_unknown" || code === "response_unrecognized";

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
