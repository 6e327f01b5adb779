import { ClaimsError, type InputError, interruptedError } from "../../domain/errors.ts";
import type { StopReason } from "../context.ts";
import { EXIT_CODE_BY_KIND, type ExitCode } from "../exit-codes.ts";
import { hasErrorCode } from "../files/file-errors.ts";
import { describeHint } from "./hints.ts";
import { sanitizeLine } from "./sanitize.ts";

/** An error that is not ours is a bug, except after an interruption, which may cause any error. */
export function formatError(error: unknown, { aborted, reason }: AbortSignal) {
  const known = error instanceof ClaimsError ? error : aborted ? interruptedError(error) : null;
  const signalCode = known?.kind === "interrupted" ? SIGNAL_CODES[reason as StopReason] : undefined;
  const exitCode: ExitCode = signalCode ?? (known ? EXIT_CODE_BY_KIND[known.kind] : 1);
  const hint = known ? describeHint(known) : "this is a bug; please report the command";
  const message = known?.message ?? `unexpected: ${(error as Error)?.message ?? String(error)}`;
  const { code = "unexpected", option, status = null, requestId = null, jobId = null, errors } = known ?? {};
  const retryable = known !== null && isRetryable(known);
  const lines = (errors ?? []).map((each) => `  ${sanitizeLine(formatInputError(each))}\n`).join("");
  return {
    exitCode,
    text: `error: ${sanitizeLine(message)}\n${lines}hint: ${sanitizeLine(hint)}\n`,
    json: { error: { code, message, hint, option, status, requestId, jobId, retryable, errors, exitCode } },
  };
}

const SIGNAL_CODES: Partial<Record<StopReason, ExitCode>> = { SIGHUP: 129, SIGTERM: 143 };

/** What must be tried later can be tried again, unless a permission is missing, or the write was executed (product.md §3). */
const isRetryable = ({ cause, code, kind, retryable }: ClaimsError): boolean =>
  kind === "unreachable" || kind === "pending"
    ? code !== "output_lost" && !hasErrorCode(cause ?? {}, "EACCES", "EPERM", "EROFS")
    : retryable && kind !== "needs_decision";

/** `line 3, column seller: empty` */
function formatInputError({ line, column, message }: InputError): string {
  const place = [line !== null && `line ${line}`, column !== null && `column ${column}`].filter(Boolean);
  return place.length === 0 ? message : `${place.join(", ")}: ${message}`;
}
