import type { SandboxCredentials } from "../../../sandbox/index.ts";
import type { Credential } from "../../client/auth/credential.ts";
import type { ProxySettings } from "../../client/http/proxy.ts";
import type { Environment } from "../../domain/environments.ts";
import { type ClaimsError, credentialError, usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import { formatLongFlag } from "../framework/options.ts";
import { describePlainHttpRisk, inferEnvironment, isSameService } from "./base-url.ts";
import { checkCredentialScope, checkKeyEnvironment, checkOAuthEnvironment } from "./credential-scope.ts";
import { startEmbeddedSandbox } from "./embedded-sandbox.ts";
import {
  DEFAULT_SANDBOX,
  findSandbox,
  type Locator,
  listSandboxes,
  requireSameSandbox,
  requireSandbox,
} from "./locator.ts";
import { readMapping } from "./mapping-file.ts";
import {
  type ConnectionOptions,
  readDotenv,
  readEnvironmentVariable,
  readProxySettings,
  readSources,
  type ScopedCredential,
  type Setting,
  type Source,
} from "./sources.ts";

export interface Connection {
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly credential: Credential | null;
  /** Path of a certificate authority, PEM. */
  readonly caFile?: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Path of the mapping of the service. */
  readonly mapping?: string | undefined;
  /** A message for stderr before the first request. */
  readonly notice?: string;
  /** One that matters to writes; reads print it with `-v`. */
  readonly writeNotice?: string;
  /** Whether the service ends with this command, so that nothing about it is stored. */
  readonly isTemporary?: boolean;
}

/** A connection that may lack a credential, and where its settings come from. */
export interface DescribedConnection extends Connection {
  readonly sources: {
    readonly baseUrl: string;
    readonly environment: string;
    readonly credential: string | null;
  };
  readonly profile: string | null;
}

const LOCAL_SANDBOX = "the local sandbox";

/**
 * Decides the service and the credential without a network: flags, `--dotenv`, environment, profile, local sandbox, in
 * this order (product.md §3, §4). The credential may be missing.
 * @param onEnd registers the end of the sandbox that `--sandbox` starts
 * @throws ClaimsError `no_service`, `credential_mismatch`
 */
export async function findConnection(
  context: Context,
  options: ConnectionOptions,
  onEnd?: BaseInvocation["onEnd"],
): Promise<DescribedConnection> {
  refuseSecondService(options);
  const dotenv = await readDotenv(context, options.dotenv);
  if (options.sandbox && onEnd) return startTemporaryService(context, options, dotenv, onEnd);
  const settings = await readSettings(context, options, dotenv);
  let listed: Promise<readonly Locator[]> | null = null;
  const list = () => (listed ??= listSandboxes(context));
  const local = settings.baseUrl ? undefined : (await list()).find(({ name }) => name === DEFAULT_SANDBOX);
  const service = settings.baseUrl ?? (local && { value: local.url, source: LOCAL_SANDBOX });
  if (!service) throw missingServiceError(await list());

  const baseUrl = service.value;
  const environment = settings.environment ?? { value: inferEnvironment(baseUrl), source: "the base URL" };
  const findOwnSandbox = async () =>
    settings.sandbox ?? (await list()).find(({ url }) => isSameService(url, baseUrl)) ?? null;
  const credential = settings.credential ?? toSetting(await findOwnSandbox(), baseUrl, environment.value);
  if (credential) {
    await checkCredentialScope(credential, { service, environment }, list);
    checkOAuthEnvironment(credential.value.credential, environment.value);
    if (settings.environment) checkKeyEnvironment(credential.value.credential, settings.environment);
  }
  const notice = local ? null : describePlainHttpRisk(baseUrl);
  return {
    baseUrl,
    environment: environment.value,
    credential: credential?.value.credential ?? null,
    caFile: options.caFile ?? settings.caFile,
    mapping: settings.mapping,
    proxy: readProxySettings(dotenv, context.env),
    ...(notice !== null && { notice }),
    ...(local && { writeNotice: `using the local sandbox at ${baseUrl}` }),
    sources: {
      baseUrl: service.source,
      environment: environment.source,
      credential: credential?.source ?? null,
    },
    profile: settings.profile ?? null,
  };
}

/** @throws ClaimsError `no_credential`, and those of {@link findConnection} */
export async function resolveConnection(
  context: Context,
  { global, onEnd }: BaseInvocation,
): Promise<DescribedConnection> {
  const connection = await findConnection(context, global, onEnd);
  if (connection.credential) return connection;
  throw missingCredentialError(connection);
}

interface Settings {
  baseUrl?: Setting<string>;
  caFile?: string | undefined;
  mapping?: string | undefined;
  environment?: Setting<Environment>;
  credential?: Setting<ScopedCredential>;
  profile?: string;
  /** A sandbox that a source named as the service. Its locator file has credentials. */
  sandbox?: Locator;
}

/** The first source that has a setting decides it. */
async function readSettings(
  context: Context,
  options: ConnectionOptions,
  dotenv: Awaited<ReturnType<typeof readDotenv>>,
): Promise<Settings> {
  const settings: Settings = {};
  for await (const source of readSources(context, options, dotenv)) {
    // Of a sandbox, only the source that names it may give another credential. So this is asked before it names one.
    const isCredentialKnown = Boolean(settings.credential ?? settings.sandbox);
    if (!settings.baseUrl) await takeService(context, settings, source);
    const isAboutService = !(await namesOtherService(context, settings, source));
    if (isAboutService && source.environment)
      settings.environment ??= { value: source.environment, source: source.name };
    if (isAboutService && source.profile !== undefined) settings.profile = source.profile;
    if (!isCredentialKnown) {
      const credential = await source.readCredential?.();
      if (credential)
        settings.credential = { value: credential, source: source.name, profile: source.profile };
    }
    // That of a profile is for its service. The others are for any.
    if (isAboutService || source.profile === undefined) settings.mapping ??= source.mapping;
    if (settings.baseUrl && settings.environment && (settings.credential ?? settings.sandbox)) break;
  }
  return settings;
}

/** Takes the service that a source names, if it names one. */
async function takeService(context: Context, settings: Settings, source: Source): Promise<void> {
  const { baseUrl, caFile, name, sandboxName } = source;
  if (sandboxName !== undefined) {
    const sandbox = await requireSandbox(context, sandboxName);
    if (baseUrl !== undefined) requireSameSandbox(sandbox, baseUrl, "CLAIMS_BASE_URL");
    settings.baseUrl = { value: baseUrl ?? sandbox.url, source: name };
    settings.sandbox = sandbox;
  } else if (baseUrl !== undefined) {
    settings.baseUrl = { value: baseUrl, source: name };
    settings.caFile = caFile;
  }
}

/** Whether a source is about another service, so that its settings do not concern this one. */
async function namesOtherService(
  context: Context,
  { baseUrl: service, sandbox }: Settings,
  { baseUrl, sandboxName }: Source,
): Promise<boolean> {
  if (baseUrl !== undefined) return baseUrl !== service?.value;
  if (sandboxName === undefined || sandboxName === sandbox?.name || !service) return false;
  // It need not run: the service has been named without it.
  const named = await findSandbox(context, sandboxName).catch(() => null);
  return named === null || !isSameService(named.url, service.value);
}

const toSetting = (sandbox: Locator | null, baseUrl: string, environment: Environment) =>
  sandbox && {
    value: { credential: toApiKey(sandbox.credentials, environment), baseUrl },
    source: sandbox.name === DEFAULT_SANDBOX ? LOCAL_SANDBOX : `the sandbox "${sandbox.name}"`,
  };

const toApiKey = (credentials: SandboxCredentials, environment: Environment): Credential => ({
  kind: "api_key",
  key: credentials[environment].apiKey,
});

/** Each of these options names the service, `--profile` and `--base-url` together. */
function refuseSecondService({ sandboxName, baseUrl, profile, sandbox }: ConnectionOptions): void {
  if (sandboxName === undefined) return;
  const [other] = Object.entries({ baseUrl, profile, sandbox }).find(([, value]) => value) ?? [];
  if (other === undefined) return;
  throw usageError("option_conflict", `--sandbox-name and ${formatLongFlag(other)} exclude each other`, {
    hint: "each names the service; leave one out",
  });
}

/** Of the settings, only the environment and the mapping concern a sandbox that this command starts. */
async function startTemporaryService(
  context: Context,
  { environment: flag, caFile, mapping: file }: ConnectionOptions,
  dotenv: Awaited<ReturnType<typeof readDotenv>>,
  onEnd: BaseInvocation["onEnd"],
): Promise<DescribedConnection> {
  const environment =
    flag ?? readEnvironmentVariable(dotenv) ?? readEnvironmentVariable(context.env) ?? "sandbox";
  const mapping = file ?? (dotenv.CLAIMS_MAPPING || context.env.CLAIMS_MAPPING || undefined);
  // It responds by the mapping by which the command reads.
  const options = mapping === undefined ? {} : { mapping: await readMapping(context, mapping) };
  const sandbox = await startEmbeddedSandbox(context, options);
  onEnd(() => sandbox.close());
  const source = "the sandbox of this command";
  return {
    baseUrl: sandbox.url,
    environment,
    credential: toApiKey(sandbox.credentials, environment),
    caFile,
    mapping,
    notice: "using a sandbox for this command only",
    isTemporary: true,
    sources: { baseUrl: source, environment: source, credential: source },
    profile: null,
  };
}

export const missingCredentialError = ({ baseUrl }: Connection): ClaimsError =>
  credentialError("no_credential", `no credential for ${new URL(baseUrl).host}`, {
    hint: "`claims auth login` stores one; or set CLAIMS_API_KEY, or CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET",
  });

const missingServiceError = ([other]: readonly Locator[]): ClaimsError =>
  credentialError("no_service", "no service is named, and the default sandbox is not running", {
    hint: other
      ? `the sandbox "${other.name}" is running; give --sandbox-name ${other.name}, or set CLAIMS_SANDBOX_NAME`
      : "start one with `claims sandbox up`, or name a service with `claims auth login` or CLAIMS_BASE_URL",
  });
