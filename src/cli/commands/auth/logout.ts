import { type Config, requireProfile, requireSelectedProfile, setProfile } from "../../connection/config.ts";
import { readConfig, updateConfig } from "../../connection/config-file.ts";
import { removeTokens } from "../../connection/token-cache.ts";
import { command } from "../../framework/command.ts";

export const logout = command({
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
      await updateConfig(context, (config) => profiles.reduce(removeCredential, config));
    const line = profiles.length
      ? `removed the credential of ${profiles.join(", ")}`
      : "no credential stored";
    return {
      kind: "record",
      id: profiles.join("\n"),
      json: { profiles },
      blocks: [{ kind: "paragraph", lines: [line] }],
    };
  },
});

function removeCredential(config: Config, name: string): Config {
  const { credential: _, ...rest } = requireProfile(config, name);
  return setProfile(config, name, rest);
}
