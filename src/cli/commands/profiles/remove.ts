import { usageError } from "../../../domain/errors.ts";
import { type Config, requireProfile } from "../../connection/config.ts";
import { readConfig, updateConfig } from "../../connection/config-file.ts";
import { removeTokens } from "../../connection/token-cache.ts";
import { command } from "../../framework/command.ts";
import { confirm } from "../../framework/prompts.ts";

export const remove = command({
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
    const { current } = await updateConfig(context, (config) => removeProfile(config, name));
    const rest = current === null ? "no profile is current" : `the current one is "${current}"`;
    return {
      kind: "record",
      json: { removed: name, current },
      id: name,
      blocks: [{ kind: "paragraph", lines: [`removed the profile "${name}"; ${rest}`] }],
    };
  },
});

function removeProfile(config: Config, name: string): Config {
  const { [name]: _, ...profiles } = config.profiles;
  return { ...config, profiles, current: config.current === name ? null : config.current };
}
