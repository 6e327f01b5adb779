import type { ApiResponse } from "../../client/client.ts";
import { findProxy } from "../../client/http/proxy.ts";
import { ClaimsError, usageError } from "../../domain/errors.ts";
import { valueAt } from "../../domain/json.ts";
import type { Connection, DescribedConnection } from "../connection/connection.ts";
import { tryParseJson } from "../connection/json-response.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { type CheckResult, fail, ok, skip, warn } from "./check.ts";

/** Seconds by which two clocks may differ before it is worth a word, and before things break. */
const CLOCK_WARNING_S = 30;
const CLOCK_FAILURE_S = 300;

/** Whether what we think of the environment fits what a key says of itself. */
export function checkEnvironment({ credential, environment: assumed }: Connection): CheckResult {
  const keyEnvironment =
    credential?.kind === "api_key" && /^sk_(sandbox|production)_/.exec(credential.key)?.[1];
  if (!keyEnvironment || keyEnvironment === assumed) return ok(assumed);
  return warn(
    `${assumed}, and the key looks like one for ${keyEnvironment}`,
    `give --environment ${keyEnvironment}, or the key of the other environment`,
  );
}

/** Which service it is, as whom, and who says so. */
export function describeService({ baseUrl, sources: from, profile }: DescribedConnection): CheckResult {
  const used = profile === null ? "no profile" : `profile ${profile}`;
  return ok(`${baseUrl}, from ${from.baseUrl}; credential from ${from.credential ?? "nowhere"}; ${used}`);
}

/** The proxy on the way to a service, without its name and password. */
export function checkProxy({ baseUrl, proxy: settings = {} }: Connection): CheckResult {
  const url = new URL(baseUrl);
  const found = findProxy(url, settings);
  if (found) return ok(`${found.host} (${found.variable})`);
  const [name, setting] =
    url.protocol === "https:" ? ["HTTPS_PROXY", settings.https] : ["HTTP_PROXY", settings.http];
  return ok(setting ? `${url.host} is reached without ${name}` : `${name} is not set`);
}

/** What came of asking a service once. */
export interface ProbeResponse {
  readonly answer: ApiResponse | null;
  readonly error: ClaimsError | null;
  /** Milliseconds since 1970, ours, when the question was half answered. */
  readonly at: number;
}

/** One request for the contract document, which takes any credential (interface §1). */
export async function requestContract(
  context: Context,
  { client, operations }: Service,
): Promise<ProbeResponse> {
  const startedAt = context.now();
  const at = () => (startedAt + context.now()) / 2;
  try {
    const answer = await client.send(operations.document.openapi);
    return { answer, error: null, at: at() };
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    return { answer: null, error, at: at() };
  }
}

/** Whether a claims service answers; that it refuses the credential is an answer. */
export function checkReachable({ answer, error }: ProbeResponse, baseUrl: string): CheckResult {
  if (error?.kind === "unreachable") return fail(error);
  if (error === null || error.kind === "credential") {
    return answer === null || isContract(answer)
      ? ok(`${baseUrl} answers`)
      : warn(`${baseUrl} answers, but not with a contract`, "check that the base URL is the service itself");
  }
  return fail(
    usageError("no_claims_service", `no claims service answers there: ${error.message}`, {
      hint: "check the base URL",
      status: error.status,
      cause: error,
    }),
  );
}

const isContract = (answer: ApiResponse): boolean =>
  typeof valueAt(tryParseJson(answer), "openapi") === "string";

/** Whether it takes the credential. */
export function checkCredential({ error }: ProbeResponse, { credential }: Connection): CheckResult {
  if (error) return error.kind === "credential" ? fail(error) : skip("the service gave no answer");
  return ok(
    credential?.kind === "oauth_client"
      ? "the OAuth client got a token that is accepted"
      : "the key is accepted",
  );
}

/** Holds our clock against the `Date` of the answer, which counts whole seconds. */
export function checkClock({ answer, at }: ProbeResponse): CheckResult {
  const theirs = Date.parse(answer?.headers.date ?? "");
  if (Number.isNaN(theirs)) return skip("the service did not say what time it is");
  const seconds = Math.round((at - theirs) / 1000);
  const size = Math.abs(seconds);
  if (size < CLOCK_WARNING_S) return ok("as the service's, to within some seconds");
  const detail = `our clock is ${size} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  const hint = "set the clock; webhook signatures look too old or too new, and tokens end at the wrong time";
  return size < CLOCK_FAILURE_S ? warn(detail, hint) : fail(usageError("clock_skew", detail, { hint }));
}
