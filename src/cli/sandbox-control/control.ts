import type { ApiResponse, Client, RawRequest } from "../../client/client.ts";
import { ClaimsError } from "../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../domain/json.ts";
import { readLines } from "../../domain/text.ts";
import { isSameService } from "../connection/base-url.ts";
import type { Connection } from "../connection/connection.ts";
import { tryParseJson } from "../connection/json-response.ts";
import { DEFAULT_SANDBOX, findSandbox, findSandboxAt, type Locator } from "../connection/locator.ts";
import { connect } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { InputFile } from "../files/input-file.ts";
import { printMessage } from "../output/stderr.ts";
import { toSandboxError, versionMismatchError } from "./control-errors.ts";

/** Where the control API of a sandbox is asked (product.md §5), and with what. */
export interface ControlTarget {
  /** The sandbox's own base URL. */
  readonly url: string;
  readonly controlToken: string;
}

/** What goes with a request to the control API. */
interface ControlRequestOptions {
  readonly body?: object;
  /** Sent in the place of a body. */
  readonly file?: InputFile;
  /** Milliseconds; an advance of the clock may take minutes. */
  readonly timeoutMs?: number;
  /** Whether it may be sent twice, though it is a POST. */
  readonly isRepeatable?: boolean;
}

/** What the control API is asked; the path is below its prefix. */
export type ControlRequest = readonly [
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  options?: ControlRequestOptions,
];

/** Milliseconds that the control API has for an answer at hand. */
const CONTROL_TIMEOUT_MS = 5_000;

/** Path of the control API below the sandbox's base URL. */
const CONTROL_PREFIX = "/_sandbox";

/** The control API of the service at that address, if it is a sandbox that this machine knows; otherwise null. */
export async function findControl(context: Context, baseUrl: string): Promise<ControlTarget | null> {
  const given = controlFromEnvironment(context);
  return given && isSameService(given.url, baseUrl) ? given : findSandboxAt(context, baseUrl);
}

/** The sandbox that a command of `claims sandbox` is about: by name, by the environment, or the default one. */
export async function requireControl(context: Context, name?: string): Promise<ControlTarget> {
  const { CLAIMS_CONTROL_URL: url, CLAIMS_CONTROL_TOKEN: token } = context.env;
  if (name !== undefined || !(url || token)) return requireRunningSandbox(context, name);
  const given = controlFromEnvironment(context);
  if (given) return given;
  throw new ClaimsError(
    "usage",
    "control_incomplete",
    "CLAIMS_CONTROL_URL and CLAIMS_CONTROL_TOKEN do not name the control API of a sandbox",
    { hint: "`claims sandbox env` prints both; or unset them" },
  );
}

/**
 * What this machine knows of the sandbox that {@link requireControl} finds; null where that is one of
 * `claims sandbox exec`, or of another machine.
 */
export async function findLocator(context: Context, control: ControlTarget): Promise<Locator | null> {
  return "pid" in control ? (control as Locator) : findSandboxAt(context, control.url);
}

/** The running sandbox of that name; there must be one. */
async function requireRunningSandbox(context: Context, name: string = DEFAULT_SANDBOX): Promise<Locator> {
  const locator = await findSandbox(context, name);
  if (locator) return locator;
  throw new ClaimsError("not_found", "no_sandbox", `no sandbox "${name}" is up`, {
    hint: `start one with \`claims sandbox up${name === DEFAULT_SANDBOX ? "" : ` --name ${name}`}\``,
  });
}

/** What `sandbox env` and `sandbox exec` set; null where it is not whole. */
function controlFromEnvironment({ env }: Context): ControlTarget | null {
  const { CLAIMS_CONTROL_URL: url = "", CLAIMS_CONTROL_TOKEN: controlToken = "" } = env;
  if (controlToken === "" || !URL.canParse(url) || !url.endsWith(CONTROL_PREFIX)) return null;
  return { url: url.slice(0, -CONTROL_PREFIX.length), controlToken };
}

/** Asks the control API of a sandbox. */
export const sendControl = (
  context: Context,
  control: ControlTarget,
  ...request: ControlRequest
): Promise<ApiResponse> => withControlClient(context, control, request, (client, raw) => client.sendRaw(raw));

/** Asks the control API of a sandbox, and reads the answer as it arrives; `use` has read it when it ends. */
export const streamControl = <T>(
  context: Context,
  control: ControlTarget,
  request: ControlRequest,
  use: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> =>
  withControlClient(context, control, request, async (client, raw) =>
    use((await client.streamRaw(raw)).body),
  );

const controlConnection = ({ url, controlToken }: ControlTarget): Connection => ({
  baseUrl: url + CONTROL_PREFIX,
  environment: "sandbox",
  credential: { kind: "api_key", key: controlToken },
});

async function withControlClient<T>(
  context: Context,
  control: ControlTarget,
  [
    method,
    path,
    { body, file, timeoutMs: timeout = CONTROL_TIMEOUT_MS, isRepeatable: repeatable } = {},
  ]: ControlRequest,
  use: (client: Client, request: RawRequest) => Promise<T>,
): Promise<T> {
  const { client, close } = await connect(context, controlConnection(control), { requestTimeoutMs: timeout });
  const content = body && JSON.stringify(body);
  try {
    return await use(client, {
      method,
      path,
      ...(repeatable !== undefined && { isRepeatable: repeatable }),
      ...(content !== undefined && {
        body: () => ({ headers: { "content-type": "application/json" }, body: content }),
      }),
      ...(file && {
        body: () => ({ headers: { "content-type": "application/octet-stream" }, body: file.stream() }),
      }),
    });
  } catch (error) {
    throw error instanceof ClaimsError ? toSandboxError(error, { url: control.url, method, path }) : error;
  } finally {
    await close();
  }
}

/**
 * Asks the control API of a sandbox, and reads the answer as JSON.
 *
 * @param has a field that the answer has where a sandbox of this version gives it
 * @throws ClaimsError `unexpected_response` where it has none
 */
export async function readControl<T>(
  context: Context,
  control: ControlTarget,
  has: keyof T & string,
  ...request: ControlRequest
): Promise<T> {
  const answer = tryParseJson(await sendControl(context, control, ...request));
  if (isRecord(answer) && has in answer && !isTooDeep(answer)) return answer as T;
  const [method, path] = request;
  throw versionMismatchError(`${method} /_sandbox${path} was answered without \`${has}\``);
}

/** The same of a list: its items. */
export async function readControlList<T>(
  context: Context,
  control: ControlTarget,
  ...request: ControlRequest
): Promise<readonly T[]> {
  const { data } = await readControl<{ readonly data: readonly T[] }>(context, control, "data", ...request);
  return data;
}

/** Milliseconds for which a stream may be silent: nothing may happen for as long. */
const STREAM_IDLE_TIMEOUT_MS = 24 * 3_600_000;

/** The lines of an answer that has no end, as they come; it is over when the sandbox is. */
export async function* streamControlLines(
  context: Context,
  control: ControlTarget,
  path: string,
): AsyncGenerator<string> {
  const { client, close } = await connect(context, controlConnection(control), {
    requestTimeoutMs: STREAM_IDLE_TIMEOUT_MS,
  });
  let isAnswered = false;
  try {
    const { body } = await client.streamRaw({ method: "GET", path });
    isAnswered = true;
    yield* readLines(body);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    if (!isAnswered || error.kind === "interrupted")
      throw toSandboxError(error, { url: control.url, method: "GET", path });
    printMessage(context, "the sandbox has ended");
  } finally {
    await close();
  }
}

/**
 * A path of the control API from its parts.
 *
 * @throws ClaimsError `not_found` for an id that no path can have: nothing is called so, and a path with it is another one
 */
export function controlPath(...parts: readonly string[]): string {
  const odd = parts.find((part) => part === "" || part === "." || part === "..");
  if (odd === undefined) return parts.map((part) => `/${encodeURIComponent(part.toWellFormed())}`).join("");
  throw new ClaimsError("not_found", "no_such_id", `nothing in a sandbox is called "${odd}"`, {
    hint: odd === "" ? "the id is empty: look at the variable that it came from" : "give an id, or a name",
  });
}
