import type { SandboxCredentials } from "../../sandbox/index.ts";
import type { Credential } from "../client/credential.ts";
import type { ProxySettings } from "../client/proxy.ts";
import { ClaimsError } from "../domain/errors.ts";
import { type Environment, isOnLoopback, usualEnvironment } from "./base-url.ts";
import type { Context } from "./context.ts";
import { startEmbedded } from "./embedded-sandbox.ts";
import { findSandbox, type Locator, listSandboxes, sandboxAt } from "./locator.ts";
import { proxySettings } from "./proxy-settings.ts";
import { refuseOAuthInProduction } from "./secrets.ts";
import {
  type ConnectionOptions,
  environmentIn,
  type HeldCredential,
  readDotenv,
  type Said,
  sourcesOf,
} from "./sources.ts";
import { refuseWrongSide } from "./wrong-side.ts";

/** Which service a command talks to, and as whom. */
export interface Connection {
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly credential: Credential | null;
  /** Which certificate authority to trust. */
  readonly caFile?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Said on stderr before anything is sent. */
  readonly notice?: string;
  /** Ends the service itself, where it is there for this command only. */
  readonly close?: () => Promise<void>;
}

/** Whether the service ends with this command: then nothing of it is worth remembering. */
export const endsWithCommand = ({ close }: Connection): boolean => close !== undefined;

/** A connection that may lack a credential, and who has said what of it. */
export interface FoundConnection extends Connection {
  /** The names of the sources. */
  readonly from: {
    readonly baseUrl: string;
    readonly environment: string;
    readonly credential: string | null;
  };
  /** The profile that has said any of it. */
  readonly profile: string | null;
}

/**
 * Decides it: flag, `--dotenv`, environment, profile, local sandbox, in this order (product.md §3, §4).
 *
 * @throws ClaimsError `no_service`, `no_credential`, `wrong_side`
 */
export async function resolveConnection(context: Context, options: ConnectionOptions): Promise<Connection> {
  if (options.sandbox) return embedded(context, options);
  const found = await findConnection(context, options);
  if (found.credential) return found;
  throw noCredential(found);
}

export const noCredential = ({ baseUrl }: Connection): ClaimsError =>
  new ClaimsError("credential", "no_credential", `no credential is set for ${hostOf(baseUrl)}`, {
    hint: "`claims auth login` stores one; or set CLAIMS_API_KEY, or CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET",
  });

/** The same without a network, also where no credential is to be found. */
export async function findConnection(context: Context, options: ConnectionOptions): Promise<FoundConnection> {
  const file = await readDotenv(context, options.dotenv);
  const said = await askSources(context, options, file);
  const sandbox = said.baseUrl ? null : await findSandbox(context);
  const service = said.baseUrl ?? (sandbox && { value: sandbox.url, by: LOCAL });
  if (!service) throw await noService(context);

  const baseUrl = service.value;
  const environment = said.environment ?? { value: usualEnvironment(baseUrl), by: "the base URL" };
  const held = said.credential ?? (await ownCredential(context, baseUrl, environment.value));
  if (held) {
    await refuseWrongSide(context, held, { service, environment });
    refuseOAuthInProduction(held.value.credential, environment.value);
  }
  const notice = noticeOf(baseUrl, sandbox);
  return {
    baseUrl,
    environment: environment.value,
    credential: held?.value.credential ?? null,
    caFile: options.caFile ?? said.baseUrl?.caFile,
    proxy: proxySettings(file, context.env),
    ...(notice !== null && { notice }),
    from: { baseUrl: service.by, environment: environment.by, credential: held?.by ?? null },
    profile: said.profile,
  };
}

interface Answers {
  baseUrl: (Said<string> & { readonly caFile: string | undefined }) | null;
  environment: Said<Environment> | null;
  credential: Said<HeldCredential> | null;
  profile: string | null;
}

/** The first source that says a thing wins. */
async function askSources(
  context: Context,
  options: ConnectionOptions,
  file: Awaited<ReturnType<typeof readDotenv>>,
): Promise<Answers> {
  const said: Answers = { baseUrl: null, environment: null, credential: null, profile: null };
  for (const open of sourcesOf(context, options, file)) {
    if (said.baseUrl && said.environment && said.credential) break;
    const source = await open();
    if (!source) continue;
    const { baseUrl, caFile, environment, name: by, profile } = source;
    if (baseUrl !== undefined) said.baseUrl ??= { value: baseUrl, by, profile, caFile };
    // What is said of another service says nothing of this one.
    const isOther = baseUrl !== undefined && baseUrl !== said.baseUrl?.value;
    if (environment !== undefined && !isOther) said.environment ??= { value: environment, by };
    const held = said.credential ? null : await source.credential();
    if (held) said.credential = { value: held, by, profile };
    if (profile !== undefined && !isOther) said.profile = profile;
  }
  return said;
}

const LOCAL = "the local sandbox";

/** The credential of the local sandbox that is at that address, if one is. */
async function ownCredential(
  context: Context,
  baseUrl: string,
  environment: Environment,
): Promise<Said<HeldCredential> | null> {
  const sandbox = await sandboxAt(context, baseUrl);
  if (!sandbox) return null;
  return { value: { credential: keyOf(sandbox.credentials, environment), baseUrl }, by: LOCAL };
}

const keyOf = (credentials: SandboxCredentials, environment: Environment): Credential => ({
  kind: "api_key",
  key: credentials[environment].apiKey,
});

function noticeOf(baseUrl: string, sandbox: Locator | null): string | null {
  if (sandbox) return `using the local sandbox at ${baseUrl}`;
  if (!baseUrl.startsWith("http:") || isOnLoopback(baseUrl)) return null;
  return `warning: ${hostOf(baseUrl)} is plain http; anybody on the way can read the credential`;
}

const hostOf = (baseUrl: string): string => new URL(baseUrl).host;

async function noService(context: Context): Promise<ClaimsError> {
  const [other] = await listSandboxes(context);
  return new ClaimsError("credential", "no_service", "no service is named and no default sandbox is up", {
    hint: other
      ? `the sandbox "${other.name}" is up: \`eval "$(claims sandbox env --name ${other.name})"\``
      : "start one with `claims sandbox up`, or name a service with `claims auth login` or CLAIMS_BASE_URL",
  });
}

/** A service of its own: of what is said of others, only the environment to play concerns it. */
async function embedded(context: Context, { caFile, ...options }: ConnectionOptions): Promise<Connection> {
  const file = await readDotenv(context, options.dotenv);
  const environment = options.environment ?? environmentIn(file) ?? environmentIn(context.env) ?? "sandbox";
  const sandbox = await startEmbedded(context, {});
  return {
    baseUrl: sandbox.url,
    environment,
    credential: keyOf(sandbox.credentials, environment),
    caFile,
    notice: "using a sandbox that lives for this command only",
    close: () => sandbox.close(),
  };
}
