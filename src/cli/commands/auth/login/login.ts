import { resolve } from "node:path";
import type { Credential } from "../../../../client/auth/credential.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { describePlainHttpRisk, type Environment, normalizeBaseUrl } from "../../../connection/base-url.ts";
import {
  type Config,
  findProfile,
  findSelectedProfile,
  type Profile,
  pointProfileAt,
  setProfile,
} from "../../../connection/config.ts";
import { readConfig, updateConfig } from "../../../connection/config-file.ts";
import { checkOAuthEnvironment } from "../../../connection/credential-scope.ts";
import { describeCredentialKind, fingerprintCredential } from "../../../connection/secrets.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { type GlobalOptions, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { prompt } from "../../../framework/prompts.ts";
import { parseName } from "../../../framework/values.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { checkCredential } from "./check-credential.ts";
import { credentialOptions, readCredential, requireOneSecret } from "./read-credential.ts";

const { baseUrl, environment, caFile, verbose } = SERVICE_OPTIONS;

const DEFAULT_PROFILE = "default";

export const login = command({
  name: "login",
  summary: "check a credential and store it in a profile",
  remote: false,
  canPrompt: true,
  output: "record",
  options: {
    profile: {
      value: "profile",
      parse: (text) => parseName(text, "a profile"),
      help: `which profile to store it in (the current one, or "${DEFAULT_PROFILE}")`,
    },
    baseUrl,
    environment,
    ...credentialOptions,
    "no-check": { help: "store it without asking the service" },
    caFile,
    verbose,
  },
  examples: [
    "claims auth login --base-url https://partners.example.com",
    "claims auth login --profile ci --base-url https://partners.example.com --key-stdin < key.txt",
    "claims auth login --profile sandbox --environment sandbox --client-id cl_1 --secret-file secret.txt",
  ],
  async run(context, { global, options }) {
    requireOneSecret(options);
    const target = await chooseTarget(context, global, await readConfig(context));
    const warning = describePlainHttpRisk(target.baseUrl);
    if (warning) printMessage(context, warning);
    const credential = await readCredential(context, global, options);
    checkOAuthEnvironment(credential, target.environment);
    const checked = options.check !== false;
    const { baseUrl: url, environment: side, caFile: authority } = target;
    const connection = { baseUrl: url, environment: side, caFile: authority, credential };
    if (checked) await checkCredential(context, connection, options.verbose);
    const config = await updateConfig(context, (before) => storeCredential(before, target, credential));
    warnOfVariables(context, target);
    return renderLogin(config, target, { credential, checked });
  },
});

/** The profile as it will be, but for its credential. */
interface Target extends Profile {
  readonly name: string;
}

/** An existing profile stays with its service unless a flag moves it; `CLAIMS_BASE_URL` helps where there is none. */
async function chooseTarget(context: Context, global: GlobalOptions, config: Config): Promise<Target> {
  const name = global.profile ?? findSelectedProfile(context, config) ?? DEFAULT_PROFILE;
  const before = findProfile(config, name);
  const address =
    global.baseUrl ??
    before?.baseUrl ??
    (context.env.CLAIMS_BASE_URL || (await askForBaseUrl(context, global)));
  const url = normalizeBaseUrl(address);
  if (before && before.baseUrl !== url && global.profile === undefined) throw otherServiceError(name, before);
  const caFile = global.caFile && resolve(context.cwd, global.caFile);
  return { ...pointProfileAt(url, before, { environment: global.environment, caFile }), name };
}

/** Whoever logs in to another service may not have thought of the profile that would be lost. */
const otherServiceError = (name: string, { baseUrl: url }: Profile): ClaimsError =>
  new ClaimsError("usage", "profile_elsewhere", `the profile "${name}" is for ${url}`, {
    hint: `give --profile with a new name, or --profile ${name} to move it`,
  });

const askForBaseUrl = (context: Context, global: GlobalOptions): Promise<string> =>
  prompt(context, global, { question: "Base URL of the service", alternative: "give --base-url" });

function storeCredential(before: Config, target: Target, credential: Credential): Config {
  const { name, baseUrl: url, environment: side } = target;
  const profile = {
    ...pointProfileAt(url, findProfile(before, name), target),
    credential: { ...credential, baseUrl: url, environment: side },
  };
  return { ...setProfile(before, name, profile), current: before.current ?? name };
}

/** What goes before a profile would make whoever has just logged in wonder. */
function warnOfVariables(context: Context, { name }: Target): void {
  const before = ["CLAIMS_BASE_URL", "CLAIMS_API_KEY", "CLAIMS_API_KEY_FILE", "CLAIMS_CLIENT_ID"];
  const set = before.filter((variable) => context.env[variable]).join(", ");
  if (set)
    printMessage(
      context,
      `warning: the environment (${set}) wins over the profile; unset it, or give --profile ${name}`,
    );
}

function renderLogin(
  { current }: Config,
  { name, baseUrl: url, environment: side }: Target,
  { credential, checked }: { readonly credential: Credential; readonly checked: boolean },
): Output {
  const print = fingerprintCredential(credential);
  const { kind } = credential;
  return {
    kind: "record",
    id: name,
    json: {
      profile: name,
      current: current === name,
      baseUrl: url,
      environment: side,
      kind,
      fingerprint: print,
      checked,
    },
    blocks: [
      {
        kind: "card",
        title: checked ? "Logged in" : "Stored, not checked",
        rows: [
          ["profile", current === name ? `${name}, the current one` : name],
          ["base URL", url],
          ["environment", side satisfies Environment],
          ["credential", `${describeCredentialKind(kind)}, fingerprint ${print}`],
        ],
      },
    ],
  };
}
