import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { ClaimsError } from "../../../domain/errors.ts";
import { describePlainHttpRisk, normalizeBaseUrl } from "../../connection/base-url.ts";
import {
  findProfile,
  type Profile,
  pointProfileAt,
  requireProfile,
  setProfile,
} from "../../connection/config.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { readSecretFile, validateSecret } from "../../connection/secrets.ts";
import type { Context } from "../../context.ts";
import { requirePipedStdin } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { type GlobalOptions, SERVICE_OPTIONS } from "../../framework/options.ts";
import { parseName } from "../../framework/values.ts";
import { printMessage } from "../../output/stderr.ts";
import { renderProfile, toProfileView } from "./profile-view.ts";

const { baseUrl, environment, caFile } = SERVICE_OPTIONS;

export const set = command({
  name: "set",
  summary: "make a profile, or change where it leads",
  remote: false,
  output: "record",
  arguments: [{ name: "profile", help: "which one" }],
  options: {
    baseUrl,
    environment,
    caFile,
    webhookSecretFile: {
      value: "file",
      help: "store the signing secret of a webhook endpoint that this file holds; - reads stdin",
    },
  },
  examples: [
    "claims profiles set staging --base-url https://staging.example.com --environment sandbox",
    "claims profiles set staging --ca-file ca.pem",
    "claims profiles set staging --webhook-secret-file whsec.txt",
  ],
  async run(context, { args, options }) {
    const name = parseName(args.profile, "a profile");
    const { webhookSecretFile: file } = options;
    const webhookSecret = file === undefined ? undefined : await readSigningSecret(context, file);
    const config = await updateConfig(context, (before) =>
      setProfile(before, name, {
        ...applyChanges(context, name, findProfile(before, name), options),
        ...(webhookSecret !== undefined && { webhookSecret }),
      }),
    );
    const profile = requireProfile(config, name);
    const warning = describePlainHttpRisk(profile.baseUrl);
    if (warning) printMessage(context, warning);
    if (hasCredentialForOtherService(profile))
      printMessage(
        context,
        `warning: its credential is for another service; \`claims auth login --profile ${name}\` stores one for this`,
      );
    return renderProfile(toProfileView(config, name, profile));
  },
});

async function readSigningSecret(context: Context, file: string): Promise<string> {
  if (file !== "-") return readSecretFile(context, file, "--webhook-secret-file");
  return validateSecret(
    (await text(requirePipedStdin(context, "pipe the secret in, or name a file"))).trim(),
    "stdin",
  );
}

type Changes = Pick<GlobalOptions, "baseUrl" | "environment" | "caFile">;

function applyChanges(
  { cwd }: Context,
  name: string,
  before: Profile | null,
  { baseUrl: address, environment: side, caFile: authority }: Changes,
): Profile {
  const url = address === undefined ? before?.baseUrl : normalizeBaseUrl(address);
  if (url === undefined) {
    throw new ClaimsError("usage", "missing_option", `the profile "${name}" is new: it needs --base-url`, {
      hint: "name the service with --base-url",
    });
  }
  return pointProfileAt(url, before, { environment: side, caFile: authority && resolve(cwd, authority) });
}

const hasCredentialForOtherService = ({ credential, baseUrl: url, environment: side }: Profile): boolean =>
  credential !== undefined && (credential.baseUrl !== url || credential.environment !== side);
