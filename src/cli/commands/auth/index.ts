import { resolve } from "node:path";
import type { Credential } from "../../../client/auth/credential.ts";
import { credentialError, rephraseError, usageError } from "../../../domain/errors.ts";
import { describePlainHttpRisk, normalizeBaseUrl } from "../../connection/base-url.ts";
import {
  type Config,
  findProfile,
  findSelectedProfile,
  pointProfileAt,
  readConfig,
  requireProfile,
  requireSelectedProfile,
  setProfile,
  updateConfig,
} from "../../connection/config.ts";
import { type Connection, findConnection, missingCredentialError } from "../../connection/connection.ts";
import { checkKeyEnvironment, checkOAuthEnvironment } from "../../connection/credential-scope.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { fetchRecord } from "../../connection/record-environment.ts";
import {
  describeCredentialKind,
  fingerprintCredential,
  readSecretOption,
  validateSecret,
} from "../../connection/secrets.ts";
import { connect, openService } from "../../connection/service.ts";
import { readProxySettings } from "../../connection/sources.ts";
import { findCachedToken, removeTokens } from "../../connection/token-cache.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import {
  type GlobalOptions,
  type OptionSpecs,
  type OptionValues,
  SERVICE_OPTIONS,
} from "../../framework/options.ts";
import { prompt } from "../../framework/prompts.ts";
import { parseName, parseSecretFile } from "../../framework/values.ts";
import { toCardOutput, toSentenceOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";
import { renderProfile } from "../profiles/index.ts";

const { profile, baseUrl, environment, dotenv, sandboxName, caFile, verbose } = SERVICE_OPTIONS;

/** No flag takes the secret itself: `ps` would show it. */
const credentialOptions = {
  keyFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--key-file"),
    conflicts: ["clientId", "secretFile"],
    help: "read the API key from a file; - for stdin",
  },
  clientId: { value: "id", help: "id of an OAuth client, instead of an API key" },
  secretFile: {
    value: "file",
    parse: (text: string) => parseSecretFile(text, "--secret-file"),
    help: "read the client secret from a file; - for stdin",
  },
} as const satisfies OptionSpecs;

async function readCredential(
  context: Context,
  global: GlobalOptions,
  { clientId, keyFile, secretFile }: OptionValues<typeof credentialOptions>,
): Promise<Credential> {
  const readSecret = async (name: string, flag: string, file: string | undefined) => {
    // On a terminal, the user types the secret for -; it must not appear.
    if (file !== undefined && (file !== "-" || !context.stdin.isTerminal))
      return readSecretOption(context, file, `--${flag}-file`);
    const alternative = `give --${flag}-file (- for stdin)`;
    const typed = await prompt(context, global, { question: name, alternative, isHidden: true });
    return validateSecret(typed, `the ${name}`);
  };
  if (clientId === undefined && secretFile === undefined)
    return { kind: "api_key", key: await readSecret("API key", "key", keyFile) };
  const id =
    clientId ?? (await prompt(context, global, { question: "Client id", alternative: "give --client-id" }));
  return {
    kind: "oauth_client",
    clientId: validateSecret(id, "the client id"),
    clientSecret: await readSecret("Client secret", "secret", secretFile),
  };
}

const DEFAULT_PROFILE = "default";

/** These take precedence over a profile. */
const CONNECTION_VARIABLES = ["CLAIMS_BASE_URL", "CLAIMS_API_KEY", "CLAIMS_API_KEY_FILE", "CLAIMS_CLIENT_ID"];

const login = command({
  name: "login",
  prints: "Profile",
  summary: "check a credential and store it in a profile",
  canPrompt: true,
  output: "record",
  quietPrints: "the profile",
  options: {
    profile: {
      value: "profile",
      parse: (text) => parseName(text, "a profile"),
      help: "profile to store the credential in",
      default: `the current one, or "${DEFAULT_PROFILE}"`,
    },
    baseUrl,
    environment,
    ...credentialOptions,
    "no-check": { help: "store the credential without a check" },
    caFile,
    verbose,
  },
  examples: [
    "claims auth login --base-url https://partners.example.com",
    "claims auth login --profile ci --base-url https://partners.example.com --key-file - < key.txt",
    "claims auth login --profile sandbox --environment sandbox --client-id cl_1 --secret-file secret.txt",
  ],
  async run(context, { global, options }) {
    const { name, ...target } = await chooseTarget(context, global, await readConfig(context));
    const risk = describePlainHttpRisk(target.baseUrl);
    if (risk) printMessage(context, risk);
    const credential = await readCredential(context, global, options);
    checkOAuthEnvironment(credential, target.environment);
    checkKeyEnvironment(credential, { value: target.environment, source: `the profile "${name}"` });
    const checked = options.check !== false;
    const service = { baseUrl: target.baseUrl, environment: target.environment };
    if (checked)
      await checkCredential(context, { ...service, caFile: target.caFile, credential }, options.verbose);
    const config = await updateConfig(context, (before) => {
      const profile = pointProfileAt(target.baseUrl, findProfile(before, name), target);
      const stored = { ...profile, credential: { ...credential, ...service } };
      return { ...setProfile(before, name, stored), current: before.current ?? name };
    });
    const variables = CONNECTION_VARIABLES.filter((variable) => context.env[variable]).join(", ");
    if (variables) {
      const remedy = `unset it, or give --profile ${name}`;
      printMessage(context, `warning: the environment (${variables}) overrides the profile; ${remedy}`);
    }
    return renderProfile(config, name, checked ? "Logged in" : "Stored without a check");
  },
});

/** Chooses the profile and its service. Only `--profile` can move an existing profile to another service. */
async function chooseTarget(context: Context, global: GlobalOptions, config: Config) {
  const name = global.profile ?? findSelectedProfile(context, config) ?? DEFAULT_PROFILE;
  const before = findProfile(config, name);
  const address =
    global.baseUrl ??
    before?.baseUrl ??
    (context.env.CLAIMS_BASE_URL ||
      (await prompt(context, global, {
        question: "Base URL of the service",
        alternative: "give --base-url",
      })));
  const url = normalizeBaseUrl(address);
  if (before && before.baseUrl !== url && global.profile === undefined) {
    throw usageError("profile_mismatch", `the profile "${name}" is for ${before.baseUrl}`, {
      hint: `give --profile with a new name, or --profile ${name} to move it`,
    });
  }
  const authority = global.caFile && resolve(context.cwd, global.caFile);
  return { ...pointProfileAt(url, before, { environment: global.environment, caFile: authority }), name };
}

/** @throws ClaimsError saying that nothing was stored */
async function checkCredential(context: Context, connection: Connection, verbose: boolean | undefined) {
  const service = await connect(
    context,
    { ...connection, proxy: readProxySettings(context.env) },
    { verbose },
  );
  const { client, operations } = service;
  const check = async () => {
    if (connection.credential?.kind === "oauth_client") return void (await client.fetchToken());
    parseJsonResponse(await client.send(operations.document.openapi), "the contract");
    // The only record without an id that may show its environment. A service may lack it, or refuse it to this key.
    const dashboard = fetchRecord(service, operations.revenue.dashboard, {}, "the revenue dashboard");
    await handleFailure(dashboard, (error) => {
      if (error.code === "wrong_environment") throw error;
    });
  };
  await handleFailure(check(), (error) => {
    const { kind, message, hint } = error;
    throw rephraseError(error, {
      message: `nothing was stored: ${message}`,
      hint:
        kind === "credential"
          ? "check the credential, the base URL and the environment"
          : `${hint}; --no-check stores the credential without a check`,
    });
  }).finally(service.close);
}

const status = command({
  name: "status",
  prints: "AuthStatus",
  summary: "show the service and credential in use, offline; exits 4 without a credential",
  output: "record",
  quietPrints: "the profile",
  options: { profile, baseUrl, environment, dotenv, sandboxName },
  examples: ["claims auth status", "claims auth status --profile ci --json | jq -r .fingerprint"],
  async run(context, { options }) {
    const found = await findConnection(context, options);
    const { credential, sources: from } = found;
    const token = await findCachedToken(context, found);
    const tokenExpiresAt = token && new Date(token.expiresAt).toISOString();
    const fingerprint = credential && fingerprintCredential(credential);
    const clientId = credential?.kind === "oauth_client" ? credential.clientId : null;
    const service = { profile: found.profile, baseUrl: found.baseUrl, environment: found.environment };
    const kind = credential?.kind ?? null;
    const record = { ...service, kind, clientId, fingerprint, tokenExpiresAt, from };
    const fields = {
      profile: found.profile,
      "base URL": `${found.baseUrl}, from ${from.baseUrl}`,
      environment: `${found.environment}, from ${from.environment}`,
      credential: kind && `${describeCredentialKind(kind)}, from ${from.credential}`,
      "client id": clientId,
      fingerprint,
      "token until": tokenExpiresAt,
    };
    return {
      ...toCardOutput("credential", { id: found.profile ?? found.baseUrl, record, fields }),
      failure: credential ? undefined : missingCredentialError(found),
    };
  },
});

const logout = command({
  name: "logout",
  prints: "Logout",
  summary: "remove the credential and access tokens of a profile",
  output: "record",
  quietPrints: "the profiles",
  options: {
    profile: { value: "profile", help: "profile", default: "the current one" },
    all: { help: "log out of every profile and remove every access token", conflicts: ["profile"] },
  },
  examples: ["claims auth logout", "claims auth logout --profile ci", "claims auth logout --all"],
  async run(context, { options: { profile, all } }) {
    const before = await readConfig(context);
    const names = all ? Object.keys(before.profiles) : [profile ?? requireSelectedProfile(context, before)];
    const owners = names.flatMap((name) => {
      const { credential } = requireProfile(before, name);
      return credential ? [{ name, baseUrl: credential.baseUrl, credential }] : [];
    });
    const profiles = owners.map(({ name }) => name);
    await removeTokens(context, all ? "all" : owners);
    if (profiles.length > 0)
      await updateConfig(context, (config) =>
        profiles.reduce((rest, name) => {
          const { credential: _, ...kept } = requireProfile(rest, name);
          return setProfile(rest, name, kept);
        }, config),
      );
    const line = profiles.length
      ? `removed the credential of ${profiles.join(", ")}`
      : "no credential stored";
    return toSentenceOutput(line, profiles.join("\n"), { profiles });
  },
});

const token = command({
  name: "token",
  summary: "fetch an access token for an OAuth client and print it",
  remote: "reads",
  output: "bytes",
  operation: ({ oauth }) => oauth.token,
  examples: ["claims auth token", 'curl -H "Authorization: Bearer $(claims auth token)" URL'],
  async run(context, call) {
    const { client, connection } = await openService(context, call);
    if (connection.credential?.kind === "api_key") {
      throw credentialError("no_oauth_client", "an API key needs no token", {
        hint: "send the key itself as Bearer; a token is for an OAuth client: `claims auth login --client-id ID`",
      });
    }
    const response = await client.fetchToken();
    const { access_token: accessToken } = parseJsonResponse(response, "the token") as {
      access_token: string;
    };
    return { kind: "stream", body: [call.global.json ? response.body : `${accessToken}\n`], isSecret: true };
  },
});

export const commands = [login, status, logout, token];
