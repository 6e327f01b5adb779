import type { ErrorKind } from "../../domain/error-codes.ts";
import { type ClaimsError, rephraseError } from "../../domain/errors.ts";
import { joinFirst } from "../../domain/text.ts";

/** The most severe first. It decides the exit code. */
const KINDS_BY_SEVERITY: readonly ErrorKind[] = [
  "interrupted",
  "usage",
  "credential",
  "needs_decision",
  "unreachable",
  "rejected",
  "verification",
  "not_found",
  "unfinished_job",
  "pending",
];

const MAX_NAMED_CAUSES = 5;

export function aggregateErrors(errors: readonly ClaimsError[], total: string): ClaimsError | undefined {
  const severity = ({ kind }: ClaimsError) => KINDS_BY_SEVERITY.indexOf(kind);
  const [worst] = [...errors].sort((a, b) => severity(a) - severity(b));
  if (worst === undefined || errors.length === 1) return worst;
  const isInterrupted = worst.kind === "interrupted";
  // One signal interrupts all that is in progress.
  const others = errors.filter(({ kind }) => !isInterrupted || kind !== "interrupted");
  const messages = [
    ...new Set([...(isInterrupted ? ["interrupted"] : []), ...others.map(({ message }) => message)]),
  ];
  return rephraseError(worst, {
    message: `${errors.length} of ${total} failed: ${joinFirst(messages, MAX_NAMED_CAUSES, "; ")}`,
    jobId: undefined,
    retryable: errors.every(({ retryable }) => retryable),
    cause: errors,
  });
}
