import { ClaimsError, rephraseError } from "../../domain/errors.ts";

const VERSION_HINT =
  "this program and the sandbox are of different versions: start the sandbox anew with this one";

/** What to do next where the client, which knows of services only, has other advice. */
const HINTS: Readonly<Record<string, string>> = {
  control_token_invalid: "the sandbox has been started anew since; `claims sandbox env` prints its token",
};

/** What was asked of the control API, and where. */
interface ControlTarget {
  /** The sandbox's own base URL. */
  readonly url: string;
  readonly method: string;
  /** Below the prefix of the control API. */
  readonly path: string;
}

/** The same failure as one of a sandbox: the client has advice about services alone, and knows no waiting. */
export function toSandboxError(error: ClaimsError, asked: ControlTarget): ClaimsError {
  const { code, kind, message, hint, status } = error;
  if (code === "wait_timed_out")
    return new ClaimsError("pending", code, message, {
      hint: "give it longer with --timeout; a frozen clock is moved by `claims sandbox clock advance`",
      status,
      retryable: true,
    });
  if (code === "control_route_not_found") return unknownRouteError(asked, error);
  if (kind === "unreachable" && status === undefined)
    return rephraseError(error, {
      hint: `\`claims sandbox status\` tells whether the sandbox at ${asked.url} is up`,
    });
  return rephraseError(error, { hint: HINTS[code] ?? hint });
}

/** A sandbox that does not answer as one of this version does. */
export const versionMismatchError = (message: string, cause?: unknown): ClaimsError =>
  new ClaimsError("unreachable", "unexpected_response", message, { hint: VERSION_HINT, cause });

/** Which routes there are is of use to whoever wrote the request: here that was this program. */
function unknownRouteError({ url, method, path }: ControlTarget, cause: ClaimsError): ClaimsError {
  const { code, status, requestId } = cause;
  const message = `the sandbox at ${url} does not know ${method} /_sandbox${path.replace(/\?.*/, "")}`;
  return new ClaimsError("unreachable", code, message, { hint: VERSION_HINT, status, requestId, cause });
}
