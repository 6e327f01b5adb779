import { resolve } from "node:path";
import type { Credential } from "../../../../client/auth/credential.ts";
import { rephraseError, usageError } from "../../../../domain/errors.ts";
import { describePlainHttpRisk, normalizeBaseUrl } from "../../../connection/base-url.ts";
import {
  type Config,
  findProfile,
  findSelectedProfile,
  pointProfileAt,
  readConfig,
  setProfile,
  updateConfig,
} from "../../../connection/config.ts";
import type { Connection } from "../../../connection/connection.ts";
import { checkKeyEnvironment, checkOAuthEnvironment } from "../../../connection/credential-scope.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { fetchRecord } from "../../../connection/record-environment.ts";
import {
  describeCredentialKind,
  fingerprintCredential,
  readSecretOption,
  validateSecret,
} from "../../../connection/secrets.ts";
import { connect, type Service } from "../../../connection/service.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { handleFailure } from "../../../framework/handle-failure.ts";
import {
  type GlobalOptions,
  type OptionSpecs,
  type OptionValues,
  SERVICE_OPTIONS,
} from "../../../framework/options.ts";
import { prompt } from "../../../framework/prompts.ts";
import { parseName, parseSecretFile } from "../../../framework/values.ts";
import { toCard } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";

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

const { baseUrl, environment, caFile, verbose } = SERVICE_OPTIONS;

const DEFAULT_PROFILE = "default";

/** These take precedence over a profile. */
const CONNECTION_VARIABLES = ["CLAIMS_BASE_URL", "CLAIMS_API_KEY", "CLAIMS_API_KEY_FILE", "CLAIMS_CLIENT_ID"];

export const login = command({
  name: "login",
  prints: "Login",
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
    const { current } = await updateConfig(context, (before) => {
      const profile = pointProfileAt(target.baseUrl, findProfile(before, name), target);
      const stored = { ...profile, credential: { ...credential, ...service } };
      return { ...setProfile(before, name, stored), current: before.current ?? name };
    });
    const variables = CONNECTION_VARIABLES.filter((variable) => context.env[variable]).join(", ");
    if (variables) {
      const remedy = `unset it, or give --profile ${name}`;
      printMessage(context, `warning: the environment (${variables}) overrides the profile; ${remedy}`);
    }
    const fingerprint = fingerprintCredential(credential);
    const { kind } = credential;
    const record = { profile: name, current: current === name, ...service, kind, fingerprint, checked };
    const card = toCard(
      "credential",
      {
        profile: current === name ? `${name}, the current one` : name,
        "base URL": service.baseUrl,
        environment: service.environment,
        credential: `${describeCredentialKind(kind)}, fingerprint ${fingerprint}`,
      },
      { title: checked ? "Logged in" : "Stored without a check", record },
    );
    return { kind: "record", id: name, json: record, blocks: [card] };
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
    if (connection.credential?.kind === "oauth_client") await client.fetchToken();
    else {
      parseJsonResponse(await client.send(operations.document.openapi), "the contract");
      await checkEnvironment(service);
    }
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

/** Reads the only record without an id that may show its environment. A service may lack it, or refuse it to this key. */
async function checkEnvironment(service: Service): Promise<void> {
  const { dashboard } = service.operations.revenue;
  await handleFailure(fetchRecord(service, dashboard, {}, "the revenue dashboard"), (error) => {
    if (error.code === "wrong_environment") throw error;
  });
}
