import { requireProfile } from "../../connection/config.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { renderProfile } from "./profile-view.ts";

export const use = command({
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
