import { resolve } from "node:path";
import { usageError } from "../../../domain/errors.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { describePlainHttpRisk, normalizeBaseUrl } from "../../connection/base-url.ts";
import { readCaFile } from "../../connection/ca-file.ts";
import {
  type Config,
  findProfile,
  pointProfileAt,
  readConfig,
  requireProfile,
  requireSelectedProfile,
  setProfile,
  updateConfig,
} from "../../connection/config.ts";
import { readMapping } from "../../connection/mapping-file.ts";
import { describeCredentialKind, fingerprintCredential, readSecretOption } from "../../connection/secrets.ts";
import { removeTokens } from "../../connection/token-cache.ts";
import { command } from "../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../framework/options.ts";
import { confirm } from "../../framework/prompts.ts";
import { parseName, parseSecretFile } from "../../framework/values.ts";
import { type Output, toCardOutput, toListOutput, toSentenceOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";

const list = command({
  name: "list",
  prints: "Profiles",
  summary: "list profiles",
  output: "list",
  quietPrints: "names",
  examples: ["claims profiles list", "claims profiles list -q"],
  async run(context) {
    const config = await readConfig(context);
    return toListOutput({
      items: Object.keys(config.profiles).map((name) => toProfileView(config, name)),
      columns: [
        { name: "name", isId: true },
        { name: "current", display: ({ current }) => (current ? "*" : " ") },
        { name: "baseUrl", title: "base URL" },
        { name: "environment" },
        {
          name: "credential",
          value: ({ credential }) => credential?.kind,
          display: ({ credential }) => credential && describeCredentialKind(credential.kind),
        },
      ],
      emptyMessage: "no profiles yet; `claims auth login` creates one",
    });
  },
});

const use = command({
  name: "use",
  prints: "Profile",
  summary: "make a profile the current one",
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "profile", help: "profile name" }],
  examples: ["claims profiles use production"],
  async run(context, { args: { profile: name } }) {
    const config = await updateConfig(context, (before) => {
      requireProfile(before, name);
      return { ...before, current: name };
    });
    return renderProfile(config, name);
  },
});

const show = command({
  name: "show",
  prints: "Profile",
  summary: "show a profile without its secrets",
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "profile", help: "profile name", default: "the current one", isOptional: true }],
  examples: ["claims profiles show", "claims profiles show ci --json | jq -r .baseUrl"],
  async run(context, { args }) {
    const config = await readConfig(context);
    return renderProfile(config, args.profile ?? requireSelectedProfile(context, config));
  },
});

const { baseUrl, environment, caFile } = SERVICE_OPTIONS;

const set = command({
  name: "set",
  prints: "Profile",
  summary: "create or change a profile",
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "profile", help: "profile name" }],
  options: {
    baseUrl,
    environment,
    caFile,
    mapping: { value: "file", help: "the mapping of the service, of `claims mapping learn`; '' for none" },
    webhookSecretFile: {
      value: "file",
      parse: (text: string) => parseSecretFile(text, "--webhook-secret-file"),
      help: "store the signing secret of a webhook endpoint from this file; - reads stdin",
    },
  },
  examples: [
    "claims profiles set staging --base-url https://staging.example.com --environment sandbox",
    "claims profiles set staging --ca-file ca.pem",
    "claims profiles set staging --mapping mapping.json",
  ],
  async run(context, { args, options }) {
    const name = parseName(args.profile, "a profile");
    const { webhookSecretFile: file } = options;
    const webhookSecret =
      file === undefined ? undefined : await readSecretOption(context, file, "--webhook-secret-file");
    const toPath = (given: string | undefined) => given && resolve(context.cwd, given);
    const changes = {
      environment: options.environment,
      caFile: toPath(options.caFile),
      mapping: toPath(options.mapping),
    };
    if (options.caFile) await readCaFile(context, options.caFile);
    if (changes.mapping) await readMapping(context, changes.mapping);
    const config = await updateConfig(context, (before) => {
      const current = findProfile(before, name);
      const url = options.baseUrl === undefined ? current?.baseUrl : normalizeBaseUrl(options.baseUrl);
      if (url === undefined) {
        throw usageError("missing_option", `the profile "${name}" is new: it needs --base-url`, {
          hint: "name the service with --base-url",
        });
      }
      const profile = pointProfileAt(url, current, changes);
      return setProfile(before, name, { ...profile, ...(webhookSecret !== undefined && { webhookSecret }) });
    });
    const profile = requireProfile(config, name);
    const { credential } = profile;
    const risk = describePlainHttpRisk(profile.baseUrl);
    if (risk) printMessage(context, risk);
    if (
      credential &&
      (credential.baseUrl !== profile.baseUrl || credential.environment !== profile.environment)
    ) {
      const remedy = `\`claims auth login --profile ${name}\` stores one for this service`;
      printMessage(context, `warning: its credential is for another service; ${remedy}`);
    }
    return renderProfile(config, name);
  },
});

const remove = command({
  name: "remove",
  prints: "RemovedProfile",
  summary: "remove a profile, its credential and its access tokens",
  canPrompt: true,
  output: "record",
  quietPrints: "the name",
  arguments: [{ name: "profile", help: "profile name" }],
  options: { yes: { help: "do not ask before a credential is removed" } },
  examples: ["claims profiles remove staging --yes"],
  async run(context, { args: { profile: name }, global, options }) {
    const { credential } = requireProfile(await readConfig(context), name);
    if (credential) {
      if (!options.yes && !(await confirm(context, global, `"${name}" holds a credential. Remove it?`))) {
        const message = `the profile "${name}" holds a credential and was not removed`;
        throw usageError("not_confirmed", message, { hint: "give --yes to remove both" });
      }
      await removeTokens(context, [{ baseUrl: credential.baseUrl, credential }]);
    }
    const { current } = await updateConfig(context, (config) => {
      const { [name]: _, ...profiles } = config.profiles;
      return { ...config, profiles, current: config.current === name ? null : config.current };
    });
    const rest = current === null ? "no profile is current" : `the current one is "${current}"`;
    return toSentenceOutput(`removed the profile "${name}"; ${rest}`, name, { removed: name, current });
  },
});

function toProfileView(config: Config, name: string) {
  const profile = requireProfile(config, name);
  const { baseUrl, caFile = null, credential, environment, mapping = null, webhookSecret } = profile;
  return {
    name,
    current: name === config.current,
    baseUrl,
    environment,
    caFile,
    mapping,
    credential: credential
      ? {
          kind: credential.kind,
          fingerprint: fingerprintCredential(credential),
          baseUrl: credential.baseUrl,
          environment: credential.environment,
        }
      : null,
    /** The fingerprint of its signing secret. */
    webhookSecret: webhookSecret === undefined ? null : fingerprint(webhookSecret),
  };
}

export function renderProfile(config: Config, name: string, title?: string): Output {
  const view = toProfileView(config, name);
  const { current, baseUrl, environment, caFile, mapping, credential, webhookSecret } = view;
  const fields = {
    profile: current ? `${name}, the current one` : name,
    "base URL": baseUrl,
    environment,
    "CA file": caFile,
    mapping,
    credential:
      credential && `${describeCredentialKind(credential.kind)}, fingerprint ${credential.fingerprint}`,
    "signing secret": webhookSecret && `fingerprint ${webhookSecret}`,
  };
  return toCardOutput("profile", { id: name, record: view, fields, ...(title !== undefined && { title }) });
}

export const commands = [list, use, show, set, remove];
