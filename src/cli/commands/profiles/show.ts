import { command } from "../../command.ts";
import { requireProfile } from "../../config/config.ts";
import { readConfig } from "../../config/config-file.ts";
import { requireSelectedProfile } from "../../config/selected.ts";
import { renderProfile, toProfileView } from "./shown.ts";

export const show = command({
  name: "show",
  summary: "show a profile, without its secrets",
  remote: false,
  output: "record",
  arguments: [{ name: "profile", help: "which one (the current one)", optional: true }],
  options: {},
  examples: ["claims profiles show", "claims profiles show ci --json | jq -r .baseUrl"],
  async run(context, { args }) {
    const config = await readConfig(context);
    const name = args.profile ?? requireSelectedProfile(context, config);
    return renderProfile(toProfileView(config, name, requireProfile(config, name)));
  },
});
