import type { SandboxCredentials } from "../../../sandbox/index.ts";
import type { Credential } from "../../client/auth/credential.ts";
import type { ProxySettings } from "../../client/http/proxy.ts";
import { type ClaimsError, credentialError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { type Environment, inferEnvironment, isLoopbackUrl } from "./base-url.ts";
import { checkCredentialScope } from "./credential-scope.ts";
import { startEmbeddedSandbox } from "./embedded-sandbox.ts";
import { findSandbox, findSandboxAt, type Locator, listSandboxes } from "./locator.ts";
import { readProxySettings } from "./proxy-settings.ts";
import { checkOAuthEnvironment } from "./secrets.ts";
import {
  type ConnectionOptions,
  listSources,
  readDotenv,
  readEnvironmentVariable,
  type ScopedCredential,
  type Setting,
} from "./sources.ts";

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
export const isTemporary = ({ close }: Connection): boolean => close !== undefined;

/** A connection that may lack a credential, and who has said what of it. */
export interface DescribedConnection extends Connection {
  /** The names of the sources. */
  readonly sources: {
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
  if (options.sandbox) return openTemporaryService(context, options);
  const found = await findConnection(context, options);
  if (found.credential) return found;
  throw missingCredentialError(found);
}

export const missingCredentialError = ({ baseUrl }: Connection): ClaimsError =>
  credentialError("no_credential", `no credential is set for ${hostOf(baseUrl)}`, {
    hint: "`claims auth login` stores one; or set CLAIMS_API_KEY, or CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET",
  });

/** The same without a network, also where no credential is to be found. */
export async function findConnection(
  context: Context,
  options: ConnectionOptions,
): Promise<DescribedConnection> {
  const dotenv = await readDotenv(context, options.dotenv);
  const settings = await readSettings(context, options, dotenv);
  const sandbox = settings.baseUrl ? null : await findSandbox(context);
  const service = settings.baseUrl ?? (sandbox && { value: sandbox.url, source: LOCAL_SANDBOX });
  if (!service) throw await missingServiceError(context);

  const baseUrl = service.value;
  const environment = settings.environment ?? { value: inferEnvironment(baseUrl), source: "the base URL" };
  const credential =
    settings.credential ?? (await findSandboxCredential(context, baseUrl, environment.value));
  if (credential) {
    await checkCredentialScope(context, credential, { service, environment });
    checkOAuthEnvironment(credential.value.credential, environment.value);
  }
  const notice = describeConnection(baseUrl, sandbox);
  return {
    baseUrl,
    environment: environment.value,
    credential: credential?.value.credential ?? null,
    caFile: options.caFile ?? settings.baseUrl?.caFile,
    proxy: readProxySettings(dotenv, context.env),
    ...(notice !== null && { notice }),
    sources: {
      baseUrl: service.source,
      environment: environment.source,
      credential: credential?.source ?? null,
    },
    profile: settings.profile,
  };
}

interface Settings {
  baseUrl: (Setting<string> & { readonly caFile: string | undefined }) | null;
  environment: Setting<Environment> | null;
  credential: Setting<ScopedCredential> | null;
  profile: string | null;
}

/** The first source that says a thing wins. */
async function readSettings(
  context: Context,
  options: ConnectionOptions,
  dotenv: Awaited<ReturnType<typeof readDotenv>>,
): Promise<Settings> {
  const settings: Settings = { baseUrl: null, environment: null, credential: null, profile: null };
  for (const openSource of listSources(context, options, dotenv)) {
    if (settings.baseUrl && settings.environment && settings.credential) break;
    const source = await openSource();
    if (!source) continue;
    const { baseUrl, caFile, environment, name: by, profile } = source;
    if (baseUrl !== undefined) settings.baseUrl ??= { value: baseUrl, source: by, profile, caFile };
    // What is said of another service says nothing of this one.
    const isOther = baseUrl !== undefined && baseUrl !== settings.baseUrl?.value;
    if (environment !== undefined && !isOther) settings.environment ??= { value: environment, source: by };
    const credential = settings.credential ? null : await source.credential();
    if (credential) settings.credential = { value: credential, source: by, profile };
    if (profile !== undefined && !isOther) settings.profile = profile;
  }
  return settings;
}

const LOCAL_SANDBOX = "the local sandbox";

/** The credential of the local sandbox that is at that address, if one is. */
async function findSandboxCredential(
  context: Context,
  baseUrl: string,
  environment: Environment,
): Promise<Setting<ScopedCredential> | null> {
  const sandbox = await findSandboxAt(context, baseUrl);
  if (!sandbox) return null;
  return {
    value: { credential: toApiKey(sandbox.credentials, environment), baseUrl },
    source: LOCAL_SANDBOX,
  };
}

const toApiKey = (credentials: SandboxCredentials, environment: Environment): Credential => ({
  kind: "api_key",
  key: credentials[environment].apiKey,
});

function describeConnection(baseUrl: string, sandbox: Locator | null): string | null {
  if (sandbox) return `using the local sandbox at ${baseUrl}`;
  if (!baseUrl.startsWith("http:") || isLoopbackUrl(baseUrl)) return null;
  return `warning: ${hostOf(baseUrl)} is plain http; anybody on the way can read the credential`;
}

const hostOf = (baseUrl: string): string => new URL(baseUrl).host;

async function missingServiceError(context: Context): Promise<ClaimsError> {
  const [other] = await listSandboxes(context);
  return credentialError("no_service", "no service is named and no default sandbox is up", {
    hint: other
      ? `the sandbox "${other.name}" is up: \`eval "$(claims sandbox env --name ${other.name})"\``
      : "start one with `claims sandbox up`, or name a service with `claims auth login` or CLAIMS_BASE_URL",
  });
}

/** A service of its own: of what is said of others, only the environment to play concerns it. */
async function openTemporaryService(
  context: Context,
  { caFile, ...options }: ConnectionOptions,
): Promise<Connection> {
  const file = await readDotenv(context, options.dotenv);
  const environment =
    options.environment ?? readEnvironmentVariable(file) ?? readEnvironmentVariable(context.env) ?? "sandbox";
  const sandbox = await startEmbeddedSandbox(context, {});
  return {
    baseUrl: sandbox.url,
    environment,
    credential: toApiKey(sandbox.credentials, environment),
    caFile,
    notice: "using a sandbox that lives for this command only",
    close: () => sandbox.close(),
  };
}
