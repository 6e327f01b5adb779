import { randomUUID } from "node:crypto";
import type { Answer } from "../../client/client.ts";
import { ClaimsError, rephraseError } from "../../domain/errors.ts";
import type { Call } from "../command.ts";
import { endsWithCommand } from "../connection.ts";
import type { Context } from "../context.ts";
import { say } from "../say.ts";
import { rehearses, type Service } from "../service.ts";
import { entriesOf, isUnknown, type JournalEntry } from "./entry.ts";
import { type Journal, journalOf } from "./journal.ts";
import { type Accepted, type Intent, type JournalRecord, SUBMISSION } from "./record.ts";
import { isWithin, type Scope, scopeOf } from "./scope.ts";

/** A write as the journal keeps it, before anybody knows when it leaves and under which key. */
export type Write = Pick<Intent, "operation" | "content" | "seller" | "file" | "bytes"> & {
  /** The job that an answer speaks of. */
  readonly jobIdOf: (answer: Answer) => string | null;
};

/**
 * Sends a write whose intent is on disk before it leaves and whose outcome is after it (product.md §4).
 *
 * @param given the key that the command line names; otherwise that of the same write, while its outcome is unknown,
 *   or a fresh one
 */
export async function journaled(
  context: Context,
  { global }: Pick<Call, "global">,
  { connection }: Service,
  { given, ...write }: Write & { readonly given?: string | undefined },
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  if (endsWithCommand(connection) || rehearses(global)) return send(given ?? randomUUID());
  const journal = journalOf(context);
  const scope = await scopeOf(context, connection);
  const same = entriesOf(await journal.read()).filter(
    (entry) => entry.content === write.content && isWithin(scope, entry),
  );
  const key = given ?? keyInDoubt(context, same) ?? randomUUID();
  if (write.operation === SUBMISSION) warnOfRepeat(context, write, same, key);
  return recorded(context, [journal], { ...write, ...scope, key }, () => send(key));
}

/** The key of the same write, if nobody knows how that went: sent under it again, it cannot happen twice. */
function keyInDoubt(context: Context, same: readonly JournalEntry[]): string | null {
  const doubtful = same.findLast((entry) => isUnknown(entry, context));
  if (doubtful === undefined) return null;
  say(
    context,
    `the outcome of the same write at ${doubtful.at} is unknown; it is sent again under its key ${doubtful.key}`,
  );
  return doubtful.key;
}

/**
 * Says where the same submission was made before, or is being made.
 *
 * @param key under which it is sent: one of that key is no other
 */
export function warnOfRepeat(
  context: Context,
  { file }: Pick<Write, "file">,
  same: readonly JournalEntry[],
  key: string | null,
): void {
  const others = same.filter((entry) => entry.key !== key);
  const earlier = others.findLast(({ outcome }) => outcome === "accepted");
  if (earlier) {
    const job = earlier.jobId === null ? "without a job id" : `as job ${earlier.jobId}`;
    say(context, `warning: ${file}: the same was accepted at ${earlier.at} ${job}; this makes another one`);
  }
  const beside = others.find((entry) => entry.outcome === "open" && !isUnknown(entry, context));
  if (beside) say(context, `warning: ${file}: process ${beside.pid} is sending the same right now`);
}

/**
 * Intent, request, outcome: each on disk, in every one of the journals, before the next.
 *
 * @throws what `send` throws, and before anything is sent `journal_unwritable`
 */
export async function recorded(
  context: Context,
  journals: readonly Journal[],
  { jobIdOf, ...write }: Write & Scope & Pick<Intent, "key">,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const { content, key } = write;
  const { own } = context.processes;
  const at = () => new Date(context.now()).toISOString();
  const ofThis = () => ({ at: at(), key, content, pid: own.pid });
  const told: Journal[] = [];
  let answer: Answer;
  try {
    for (const journal of journals) {
      await journal.append({ type: "intent", at: at(), ...write, ...own });
      told.push(journal);
    }
    answer = await send();
  } catch (error) {
    // Where only some could take the intent, nothing was sent: without an end there, it would be in doubt.
    await note(context, told, { ...ofThis(), ...outcomeOf(error) });
    throw error instanceof ClaimsError && isDoubt(error) ? withWayOut(error) : error;
  }
  const accepted = {
    type: "accepted",
    ...ofThis(),
    jobId: jobIdOf(answer),
    status: answer.status,
  } as const;
  await note(context, journals, accepted satisfies Accepted);
  return answer;
}

/** The outcome stands whether or not it can be written down; unwritten, it is unknown to whoever reads the journal. */
async function note(context: Context, journals: readonly Journal[], record: JournalRecord): Promise<void> {
  for (const journal of journals) {
    try {
      await journal.append(record);
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      say(context, `warning: ${error.message}; it will tell of this write as unknown`);
    }
  }
}

const DOUBTS: ReadonlySet<string> = new Set(["outcome_unknown", "interrupted_unknown"]);

/** Whether a write that failed like this may have been carried out. */
export const isDoubt = ({ code }: ClaimsError): boolean => DOUBTS.has(code);

/** What is no error of ours may have happened at any point of the way. */
function outcomeOf(error: unknown) {
  if (!(error instanceof ClaimsError)) return { type: "unknown", code: "unexpected" } as const;
  const { code, status = null } = error;
  return isDoubt(error) ? ({ type: "unknown", code } as const) : ({ type: "refused", code, status } as const);
}

const withWayOut = (error: ClaimsError): ClaimsError =>
  rephraseError(error, {
    hint: "run the same command again: it goes out under the same key; or see `claims diligence history --unknown`",
  });
