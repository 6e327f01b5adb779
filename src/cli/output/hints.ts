import type { ClaimsError } from "../../domain/errors.ts";

const isAboutDiligence = ({ request = "" }: ClaimsError): boolean => request.includes("/diligence/");

/** Errors of the client → the command or the flag that helps. The client itself knows neither. */
const COMMAND_HINTS: readonly (readonly [applies: (error: ClaimsError) => boolean, hint: string])[] = [
  // Only a rejected certificate makes a retry useless.
  [
    ({ code, retryable }) => code === "unreachable" && !retryable,
    "`--ca-file` trusts the certificate authority of a company or a test",
  ],
  [({ code }) => code === "unreachable", "`claims sandbox status` shows whether a local sandbox runs"],
  [
    ({ code }) => code === "response_too_large",
    "`claims api GET PATH --out FILE` writes a response of any size to a file",
  ],
  [
    ({ message, request = "", status = 0 }) =>
      status >= 400 &&
      status < 500 &&
      /[?&]limit=/.test(request) &&
      /\blimit\b/i.test(message.split("?", 1)[0] ?? ""),
    "`--all` follows every page, with any --limit that the service takes",
  ],
  [({ code }) => code === "path_elsewhere", "`--base-url` sets it"],
  [
    ({ code, request }) => code === "route_not_found" && request !== undefined,
    "`claims api GET /v1/docs/openapi` lists the routes",
  ],
  [
    ({ hint, request, status = 0 }) =>
      request !== undefined && status >= 300 && status < 400 && hint.includes("base URL"),
    "`--base-url` sets it",
  ],
  [
    ({ kind, status }) => kind === "credential" && status === 401,
    "`claims auth status` shows where the credential comes from",
  ],
  [
    ({ code }) => code === "idempotency_key_reused",
    "without `--idempotency-key`, the next run takes a new one",
  ],
  [
    (error) => error.status === 409 && isAboutDiligence(error),
    "`claims diligence status` shows the state of the job",
  ],
];

export function describeHint(error: ClaimsError): string {
  const [, addition] = COMMAND_HINTS.find(([applies]) => applies(error)) ?? [];
  // A summary may have the hint of one of its errors, with the addition.
  return addition === undefined || error.hint.includes(addition) ? error.hint : `${error.hint}; ${addition}`;
}
