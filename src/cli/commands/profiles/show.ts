import { requireSelectedProfile } from "../../connection/config.ts";
import { readConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { renderProfile } from "./profile-view.ts";

export const show = command({
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
