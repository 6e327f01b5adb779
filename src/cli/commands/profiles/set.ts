import { resolve } from "node:path";
import { usageError } from "../../../domain/errors.ts";
import { describePlainHttpRisk, normalizeBaseUrl } from "../../connection/base-url.ts";
import { readCaFile } from "../../connection/ca-file.ts";
import { findProfile, pointProfileAt, requireProfile, setProfile } from "../../connection/config.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { readSecretFile, validateSecret } from "../../connection/secrets.ts";
import type { Context } from "../../context.ts";
import { readSmallStream, requirePipedStdin } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../framework/options.ts";
import { parseName, parseSecretFile } from "../../framework/values.ts";
import { printMessage } from "../../output/stderr.ts";
import { renderProfile } from "./profile-view.ts";

const { baseUrl, environment, caFile } = SERVICE_OPTIONS;

export const set = command({
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
    like: {
      value: "file",
      help: "the form of the service, a file of `claims contract learn` or `form new`; '' for none",
    },
    webhookSecretFile: {
      value: "file",
      parse: (text: string) => parseSecretFile(text, "--webhook-secret-file"),
      help: "store the signing secret of a webhook endpoint from this file; - reads stdin",
    },
  },
  examples: [
    "claims profiles set staging --base-url https://staging.example.com --environment sandbox",
    "claims profiles set staging --ca-file ca.pem",
    "claims profiles set staging --like service.json",
    "claims profiles set staging --webhook-secret-file whsec.txt",
  ],
  async run(context, { args, options }) {
    const name = parseName(args.profile, "a profile");
    const { webhookSecretFile: file } = options;
    const webhookSecret = file === undefined ? undefined : await readSigningSecret(context, file);
    const changes = {
      environment: options.environment,
      caFile: options.caFile && (await checkCaFile(context, options.caFile)),
      like: options.like && (await checkServiceForm(context, options.like)),
    };
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

/** @returns the absolute path */
async function checkCaFile(context: Context, file: string): Promise<string> {
  await readCaFile(context, file);
  return resolve(context.cwd, file);
}

/** @returns the absolute path */
async function checkServiceForm(context: Context, file: string): Promise<string> {
  const { readServiceForm } = await import("../../connection/service-form.ts");
  const path = resolve(context.cwd, file);
  await readServiceForm(context, path);
  return path;
}

async function readSigningSecret(context: Context, file: string): Promise<string> {
  if (file !== "-") return readSecretFile(context, file, "--webhook-secret-file");
  const stdin = requirePipedStdin(context, "pipe the secret in, or name a file");
  return validateSecret((await readSmallStream(stdin)).toString("utf8").trim(), "stdin");
}
