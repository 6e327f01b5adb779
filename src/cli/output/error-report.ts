import { ClaimsError, interruptedError } from "../../domain/errors.ts";
import type { StopReason } from "../context.ts";
import { EXIT_CODE_BY_KIND, type ExitCode } from "../exit-codes.ts";
import { sanitizeLine } from "./sanitize.ts";

/** An error as it is told: to a shell by its exit code, to a person in two lines, to a program as JSON. */
export interface ErrorReport {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly json: string;
}

export function formatError(error: unknown, signal: AbortSignal): ErrorReport {
  const claimsError = toClaimsError(error, signal);
  const exitCode = chooseExitCode(claimsError, signal);
  const hint = claimsError?.hint ?? "this is a bug; please report what you ran";
  const message = claimsError?.message ?? `unexpected: ${(error as Error)?.message ?? String(error)}`;
  return {
    exitCode,
    text: `error: ${sanitizeLine(message)}\nhint: ${sanitizeLine(hint)}\n`,
    json: `${JSON.stringify({
      error: {
        code: claimsError?.code ?? "unexpected",
        message,
        hint,
        status: claimsError?.status ?? null,
        requestId: claimsError?.requestId ?? null,
        retryable: claimsError?.retryable ?? false,
        exitCode,
      },
    })}\n`,
  };
}

/** Whatever an interrupted command was doing when it fell over, the interruption is what happened. */
function toClaimsError(error: unknown, signal: AbortSignal): ClaimsError | null {
  if (error instanceof ClaimsError) return error;
  return signal.aborted ? interruptedError(error) : null;
}

function chooseExitCode(error: ClaimsError | null, signal: AbortSignal): ExitCode {
  if (error === null) return 1;
  if (error.kind === "interrupted" && (signal.reason as StopReason) === "SIGTERM") return 143;
  return EXIT_CODE_BY_KIND[error.kind];
}
