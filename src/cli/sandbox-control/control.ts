import type { ApiResponse } from "../../client/http/response.ts";
import type { RawRequest } from "../../client/request.ts";
import type { ControlBody, ControlKey, ControlQuery } from "../../contract/control.ts";
import type { ControlResponses } from "../../contract/control-responses.ts";
import type { PathParams } from "../../contract/operations/operation.ts";
import {
  ClaimsError,
  notFoundError,
  rejectedError,
  rephraseError,
  unreachableError,
  usageError,
} from "../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../domain/json.ts";
import { isSameService } from "../connection/base-url.ts";
import { tryParseJson } from "../connection/json-response.ts";
import {
  chooseSandboxName,
  findSandboxAt,
  type Locator,
  requireSameSandbox,
  requireSandbox,
} from "../connection/locator.ts";
import { connect } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { InputFile } from "../files/input-file.ts";

/** Where the control API of a sandbox is (product.md §5), and its token. */
export interface ControlTarget {
  /** The sandbox's own base URL. */
  readonly url: string;
  readonly controlToken: string;
}

interface ControlInput<K extends ControlKey> {
  readonly params?: PathParams<K>;
  readonly query?: { readonly [Name in keyof ControlQuery<K>]?: ControlQuery<K>[Name] | undefined };
  readonly body?: ControlBody<K>;
  /** The body is the content of this file. */
  readonly file?: InputFile;
  /** An advance of the clock may take minutes. */
  readonly timeoutMs?: number;
  /** Whether the client may retry it, although it is a POST. */
  readonly isRepeatable?: boolean;
}

type ItemOf<K extends ControlKey> =
  NonNullable<ControlResponses[K]> extends { readonly data: readonly (infer Item)[] } ? Item : never;

/** A field of a response, or of one of several. */
type FieldOf<Response> = Response extends unknown ? keyof Response & string : never;

const DEFAULT_TIMEOUT_MS = 5_000;

/** Of a response that does not end: what undici takes for no limit. */
export const NO_TIMEOUT_MS = 0;

/** Path of the control API below the sandbox's base URL. */
const PREFIX = "/_sandbox";

export class ControlClient {
  readonly #context: Context;
  readonly target: ControlTarget;

  constructor(context: Context, target: ControlTarget) {
    this.#context = context;
    this.target = target;
  }

  /**
   * @param expected a field of this version's response
   * @throws ClaimsError `unexpected_response` without it
   */
  async send<K extends ControlKey>(
    operation: K,
    expected: FieldOf<NonNullable<ControlResponses[K]>>,
    input?: ControlInput<K>,
  ): Promise<NonNullable<ControlResponses[K]>> {
    const json = tryParseJson(await this.fetch(operation, input));
    if (isRecord(json) && expected in json && !isTooDeep(json))
      return json as NonNullable<ControlResponses[K]>;
    const message = `the response to ${operation} lacks \`${expected}\``;
    throw unreachableError("unexpected_response", message, { hint: VERSION_HINT });
  }

  async list<K extends ControlKey>(operation: K, input?: ControlInput<K>): Promise<readonly ItemOf<K>[]> {
    const list: unknown = await this.send(operation, "data" as never, input);
    return (list as { readonly data: readonly ItemOf<K>[] }).data;
  }

  async fetch<K extends ControlKey>(operation: K, input: ControlInput<K> = {}): Promise<ApiResponse> {
    const { client, close } = await this.#connect(input.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      return await client.sendRaw(toRequest(operation, input));
    } catch (error) {
      throw toSandboxError(error, operation, this.target.url);
    } finally {
      await close();
    }
  }

  /** The body of a response as it arrives; the connection closes at its end, or when the reader stops. */
  async *stream<K extends ControlKey>(operation: K, input: ControlInput<K>): AsyncGenerator<Uint8Array> {
    const { client, close } = await this.#connect(input.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      yield* (await client.streamRaw(toRequest(operation, input))).body;
    } catch (error) {
      throw toSandboxError(error, operation, this.target.url);
    } finally {
      await close();
    }
  }

  #connect(requestTimeoutMs: number) {
    const { url, controlToken: key } = this.target;
    const credential = { kind: "api_key", key } as const;
    return connect(
      this.#context,
      { baseUrl: url + PREFIX, environment: "sandbox", credential },
      { requestTimeoutMs },
    );
  }
}

function toRequest<K extends ControlKey>(operation: K, input: ControlInput<K>): RawRequest {
  const { body, file, isRepeatable } = input;
  const params: Readonly<Record<string, string>> = input.params ?? {};
  const [method = "", template = ""] = operation.split(" ");
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeId(params[name] ?? ""));
  const query = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(query.map(([name, value]) => [name, String(value)] as [string, string]));
  const json = body && JSON.stringify(body);
  return {
    method: method as RawRequest["method"],
    path: search.size === 0 ? path : `${path}?${search}`,
    ...(isRepeatable !== undefined && { isRepeatable }),
    ...(json !== undefined && {
      body: () => ({ headers: { "content-type": "application/json" }, body: json }),
    }),
    ...(file && {
      body: () => ({ headers: { "content-type": "application/octet-stream" }, body: file.stream() }),
    }),
  };
}

/** A dot segment, or none, would lead to another operation (RFC 3986 §5.2.4). */
function encodeId(id: string): string {
  if (!/^\.{0,2}$/.test(id)) return encodeURIComponent(id.toWellFormed());
  throw notFoundError("invalid_id", `nothing in a sandbox has the id "${id}"`, {
    hint: id === "" ? "the id is empty: check the variable that it came from" : "give an id or a name",
  });
}

/**
 * The control API of the service at that address; null unless it is a sandbox that this machine knows. After a restart, its
 * locator file has the token, and the variables have an old one.
 */
export async function findControl(context: Context, baseUrl: string): Promise<ControlClient | null> {
  const given = readEnvironment(context);
  const named = given && isSameService(given.url, baseUrl) ? given : null;
  const target = (await findSandboxAt(context, baseUrl)) ?? named;
  return target && new ControlClient(context, target);
}

/**
 * The control API of the service at that address, for a route that the service does not have.
 *
 * @param use of the route, as in `sends a delivery again`
 * @throws ClaimsError `sandbox_only`
 */
export async function requireControlOf(context: Context, baseUrl: string, use: string, hint: string) {
  const control = await findControl(context, baseUrl);
  if (control) return control;
  throw rejectedError("sandbox_only", `${baseUrl} has no route ${use}`, { hint });
}

/** The sandbox that a command of `claims sandbox` is about: by its name, by the environment, or the default one. */
export async function requireControl(
  context: Context,
  options: { readonly sandboxName?: string | undefined },
): Promise<ControlClient> {
  const { CLAIMS_CONTROL_URL: url, CLAIMS_CONTROL_TOKEN: token, CLAIMS_SANDBOX_NAME: name } = context.env;
  if (options.sandboxName !== undefined || !(url || token))
    return new ControlClient(context, await requireSandbox(context, chooseSandboxName(context, options)));
  const given = readEnvironment(context);
  if (!given)
    throw usageError(
      "missing_option",
      "CLAIMS_CONTROL_URL and CLAIMS_CONTROL_TOKEN do not name the control API of a sandbox",
      { hint: "`claims sandbox env` prints both; or unset them" },
    );
  if (name) {
    const named = await requireSandbox(context, chooseSandboxName(context, options));
    requireSameSandbox(named, given.url, "CLAIMS_CONTROL_URL");
  }
  return new ControlClient(context, given);
}

/** The locator file of a sandbox; null for one of `claims sandbox exec`, or of another machine. */
export async function findLocator(context: Context, { target }: ControlClient): Promise<Locator | null> {
  return "pid" in target ? (target as Locator) : findSandboxAt(context, target.url);
}

/** The variables of `sandbox env` and `sandbox exec`; null unless both are usable. */
function readEnvironment({ env }: Context): ControlTarget | null {
  const { CLAIMS_CONTROL_URL: url = "", CLAIMS_CONTROL_TOKEN: controlToken = "" } = env;
  if (controlToken === "" || !URL.canParse(url) || !url.endsWith(PREFIX)) return null;
  return { url: url.slice(0, -PREFIX.length), controlToken };
}

const VERSION_HINT =
  "the versions of this program and the sandbox differ; restart the sandbox with this version";

/** Rephrases the client's error for a sandbox: the client's hints are about services. */
function toSandboxError(error: unknown, operation: string, url: string): unknown {
  if (!(error instanceof ClaimsError)) return error;
  const { code, kind, message, status, requestId } = error;
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
    return rephraseError(error, { hint: "`claims sandbox status` shows whether a local sandbox runs" });
  return error;
}
