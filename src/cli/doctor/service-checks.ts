import type { ApiResponse } from "../../client/client.ts";
import { findProxy } from "../../client/http/proxy.ts";
import { ClaimsError, usageError } from "../../domain/errors.ts";
import { valueAt } from "../../domain/json.ts";
import type { Connection, DescribedConnection } from "../connection/connection.ts";
import { tryParseJson } from "../connection/json-response.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { type CheckResult, fail, ok, skip, warn } from "./check.ts";

/** Differences between two clocks. The larger one breaks signatures and tokens. */
const CLOCK_WARNING_S = 30;
const CLOCK_FAILURE_S = 300;

/** Compares the environment with the one in the key. */
export function checkEnvironment({ credential, environment }: Connection): CheckResult {
  const keyEnvironment =
    credential?.kind === "api_key" && /^sk_(sandbox|production)_/.exec(credential.key)?.[1];
  if (!keyEnvironment || keyEnvironment === environment) return ok(environment);
  return warn(
    `${environment}, but the key looks like a ${keyEnvironment} key`,
    `give --environment ${keyEnvironment}, or the key of the other environment`,
  );
}

export function describeService({ baseUrl, sources, profile }: DescribedConnection): CheckResult {
  const used = profile === null ? "no profile" : `profile ${profile}`;
  return ok(
    `${baseUrl}, from ${sources.baseUrl}; credential from ${sources.credential ?? "nowhere"}; ${used}`,
  );
}

/** The proxy for a service, without its name and password. */
export function checkProxy({ baseUrl, proxy: settings = {} }: Connection): CheckResult {
  const url = new URL(baseUrl);
  const found = findProxy(url, settings);
  if (found) return ok(`${found.host} (${found.variable})`);
  const [name, setting] =
    url.protocol === "https:" ? ["HTTPS_PROXY", settings.https] : ["HTTP_PROXY", settings.http];
  return ok(setting ? `${name} does not apply to ${url.host}` : `${name} is not set`);
}

/** The result of one request. */
interface ProbeResponse {
  readonly response: ApiResponse | null;
  readonly error: ClaimsError | null;
  /** Our clock halfway through the request, milliseconds since 1970. */
  readonly at: number;
}

/** Requests the contract document, which accepts any credential (interface §1). */
export async function requestContract(
  context: Context,
  { client, operations }: Service,
): Promise<ProbeResponse> {
  const startedAt = context.now();
  const at = () => (startedAt + context.now()) / 2;
  try {
    const response = await client.send(operations.document.openapi);
    return { response, error: null, at: at() };
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    return { response: null, error, at: at() };
  }
}

/** A refusal of the credential shows that a service responds. */
export function checkReachable({ response, error }: ProbeResponse, baseUrl: string): CheckResult {
  if (error?.kind === "unreachable") return fail(error);
  if (error !== null && error.kind !== "credential") {
    const { message, status } = error;
    const hint = "check the base URL";
    return fail(
      usageError("no_claims_service", `not a claims service: ${message}`, { hint, status, cause: error }),
    );
  }
  const isContract = response === null || typeof valueAt(tryParseJson(response), "openapi") === "string";
  if (isContract) return ok(`${baseUrl} responds`);
  return warn(
    `${baseUrl} responds, but not with a contract`,
    "check that the base URL is the service itself",
  );
}

export function checkCredential({ error }: ProbeResponse, { credential }: Connection): CheckResult {
  if (error) return error.kind === "credential" ? fail(error) : skip("the service did not respond");
  return ok(
    credential?.kind === "oauth_client"
      ? "the service accepts the token of the OAuth client"
      : "the service accepts the key",
  );
}

/** Compares our clock with the `Date` of the response, which has whole seconds. */
export function checkClock({ response, at }: ProbeResponse): CheckResult {
  const theirs = Date.parse(response?.headers.date ?? "");
  if (Number.isNaN(theirs)) return skip("the response has no date");
  const seconds = Math.round((at - theirs) / 1000);
  const size = Math.abs(seconds);
  if (size < CLOCK_WARNING_S) return ok(`differs from the service's by less than ${CLOCK_WARNING_S} s`);
  const detail = `our clock is ${size} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  const hint =
    "set the clock; webhook signatures look too old or too new, and tokens expire at the wrong time";
  if (size < CLOCK_FAILURE_S) return warn(detail, hint);
  return fail(usageError("clock_skew", detail, { hint }));
}
