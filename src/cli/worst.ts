import { type ClaimsError, type ErrorKind, retold } from "../domain/errors.ts";

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
  const named = failures.slice(0, NAMED).map(({ message }) => message);
  const more = failures.length > NAMED ? `; and ${failures.length - NAMED} more` : "";
  return retold(worst, {
    message: `${failures.length} of ${of} went wrong: ${named.join("; ")}${more}`,
    retryable: failures.every(({ retryable }) => retryable),
    cause: failures,
  });
}
