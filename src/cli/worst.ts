import { type ClaimsError, type ErrorKind, rephraseError } from "../domain/errors.ts";

/** What a script must hear of first, when several things went wrong in one command. */
const WORST_FIRST: readonly ErrorKind[] = [
  "interrupted",
  "usage",
  "credential",
  "unreachable",
  "rejected",
  "verification",
  "not_found",
  "unfinished_job",
  "pending",
];

/** The longest list of causes that one message names. */
const NAMED = 5;

/** One failure that stands for all of them: it has the kind of the worst; undefined where nothing failed. */
export function worstOf(failures: readonly ClaimsError[], of: string): ClaimsError | undefined {
  const [worst] = [...failures].sort((a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind));
  if (worst === undefined || failures.length === 1) return worst;
  // An interruption is the same for all that it has met.
  const messages = [...new Set(failures.map(({ message }) => message))];
  const named = messages.slice(0, NAMED);
  const more = messages.length > NAMED ? `; and ${messages.length - NAMED} more` : "";
  return rephraseError(worst, {
    message: `${failures.length} of ${of} went wrong: ${named.join("; ")}${more}`,
    retryable: failures.every(({ retryable }) => retryable),
    cause: failures,
  });
}
