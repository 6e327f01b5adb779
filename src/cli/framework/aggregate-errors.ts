import { type ClaimsError, type ErrorKind, rephraseError } from "../../domain/errors.ts";

/** What a script must hear of first, when several things went wrong in one command. */
const KINDS_BY_SEVERITY: readonly ErrorKind[] = [
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
const MAX_NAMED_CAUSES = 5;

/** One failure that stands for all of them: it has the kind of the worst; undefined where nothing failed. */
export function aggregateErrors(failures: readonly ClaimsError[], of: string): ClaimsError | undefined {
  const [worst] = [...failures].sort(
    (a, b) => KINDS_BY_SEVERITY.indexOf(a.kind) - KINDS_BY_SEVERITY.indexOf(b.kind),
  );
  if (worst === undefined || failures.length === 1) return worst;
  // An interruption is the same for all that it has met.
  const messages = [...new Set(failures.map(({ message }) => message))];
  const shown = messages.slice(0, MAX_NAMED_CAUSES);
  const more = messages.length > MAX_NAMED_CAUSES ? `; and ${messages.length - MAX_NAMED_CAUSES} more` : "";
  return rephraseError(worst, {
    message: `${failures.length} of ${of} went wrong: ${shown.join("; ")}${more}`,
    retryable: failures.every(({ retryable }) => retryable),
    cause: failures,
  });
}
