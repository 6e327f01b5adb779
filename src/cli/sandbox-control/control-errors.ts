import { ClaimsError, rephraseError, unreachableError } from "../../domain/errors.ts";

const VERSION_HINT =
  "the versions of this program and the sandbox differ; restart the sandbox with this version";

/** Rephrases the client's error for a sandbox: the client's hints are about services. */
export function toSandboxError(error: ClaimsError, operation: string, url: string): ClaimsError {
  const { code, kind, message, hint, status, requestId } = error;
  if (code === "wait_timed_out")
    return new ClaimsError("pending", code, message, {
      hint: "wait longer with --timeout; move a frozen clock with `claims sandbox clock advance`",
      status,
      retryable: true,
    });
  // This program chose the operation, so the list of operations in the response does not help the user.
  if (code === "control_route_not_found")
    return unreachableError(code, `the sandbox at ${url} does not know ${operation}`, {
      hint: VERSION_HINT,
      status,
      requestId,
      cause: error,
    });
  if (code === "control_token_invalid")
    return rephraseError(error, {
      hint: "the sandbox has restarted since; `claims sandbox env` prints its new token",
    });
  if (kind === "unreachable" && status === undefined)
    return rephraseError(error, {
      hint: `\`claims sandbox status\` shows whether the sandbox at ${url} is up`,
    });
  return rephraseError(error, { hint: COMMAND_LINE_HINTS[code] ?? hint });
}

/** The sandbox names the options of its library. */
const COMMAND_LINE_HINTS: Readonly<Record<string, string>> = {
  request_log_off: "start it without --request-log-size 0",
};

/** A response that a sandbox of this version does not send. */
export const versionMismatchError = (message: string): ClaimsError =>
  unreachableError("unexpected_response", message, { hint: VERSION_HINT });
