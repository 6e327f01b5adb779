import { ClaimsError, interruptedError } from "../domain/errors.ts";
import type { StopReason } from "./context.ts";
import { EXIT_CODE_OF, type ExitCode } from "./exit-codes.ts";
import { printable } from "./output/printable.ts";

/** An error as it is told: to a shell by its exit code, to a person in two lines, to a program as JSON. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly json: string;
}

export function describeFailure(error: unknown, signal: AbortSignal): Failure {
  const known = asClaimsError(error, signal);
  const exitCode = exitCodeOf(known, signal);
  const hint = known?.hint ?? "this is a bug; please report what you ran";
  const message = known?.message ?? `unexpected: ${(error as Error)?.message ?? String(error)}`;
  return {
    exitCode,
    text: `error: ${printable(message)}\nhint: ${printable(hint)}\n`,
    json: `${JSON.stringify({
      error: {
        code: known?.code ?? "unexpected",
        message,
        hint,
        status: known?.status ?? null,
        requestId: known?.requestId ?? null,
        retryable: known?.retryable ?? false,
        exitCode,
      },
    })}\n`,
  };
}

/** Whatever an interrupted command was doing when it fell over, the interruption is what happened. */
function asClaimsError(error: unknown, signal: AbortSignal): ClaimsError | null {
  if (error instanceof ClaimsError) return error;
  return signal.aborted ? interruptedError(error) : null;
}

function exitCodeOf(error: ClaimsError | null, signal: AbortSignal): ExitCode {
  if (error === null) return 1;
  if (error.kind === "interrupted" && (signal.reason as StopReason) === "SIGTERM") return 143;
  return EXIT_CODE_OF[error.kind];
}
