import { ClaimsError } from "../../../domain/errors.ts";
import {
  type Config,
  type Profile,
  requireProfile,
  requireSelectedProfile,
  setProfile,
} from "../../connection/config.ts";
import { readConfig, updateConfig } from "../../connection/config-file.ts";
import { removeTokens } from "../../connection/token-cache.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";

export const logout = command({
  name: "logout",
  summary: "forget a profile's credential and its access tokens; the profile stays",
  remote: false,
  output: "record",
  options: {
    profile: { value: "profile", help: "which profile (the current one)" },
    all: { help: "every profile, and every access token kept on this machine" },
  },
  examples: ["claims auth logout", "claims auth logout --profile ci", "claims auth logout --all"],
  async run(context, { options }) {
    const before = await readConfig(context);
    const holders = selectProfiles(context, before, options).flatMap((name) => {
      const { credential } = requireProfile(before, name);
      return credential ? [{ name, baseUrl: credential.baseUrl, credential }] : [];
    });
    const forgotten = holders.map(({ name }) => name);
    await removeTokens(context, options.all ? "all" : holders);
    if (forgotten.length > 0)
      await updateConfig(context, (config) => forgotten.reduce(removeCredential, config));
    const line = forgotten.length
      ? `forgot the credential of ${forgotten.join(", ")}`
      : "there was no credential to forget";
    return {
      kind: "record",
      id: forgotten.join("\n"),
      json: { profiles: forgotten },
      blocks: [{ kind: "paragraph", lines: [line] }],
    };
  },
});

function selectProfiles(
  context: Context,
  config: Config,
  { profile, all }: { readonly profile: string | undefined; readonly all: boolean | undefined },
): readonly string[] {
  if (!all) return [profile ?? requireSelectedProfile(context, config)];
  if (profile === undefined) return Object.keys(config.profiles);
  throw new ClaimsError("usage", "profile_and_all", "--profile and --all exclude each other", {
    hint: "name one profile, or take all",
  });
}

function removeCredential(config: Config, name: string): Config {
  const { credential: _forgotten, ...rest }: Profile = requireProfile(config, name);
  return setProfile(config, name, rest);
}
