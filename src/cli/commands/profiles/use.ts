import { requireProfile } from "../../connection/config.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { renderProfile, toProfileView } from "./profile-view.ts";

export const use = command({
  name: "use",
  summary: "make a profile the current one",
  remote: false,
  output: "record",
  arguments: [{ name: "profile", help: "the profile of commands that name none" }],
  options: {},
  examples: ["claims profiles use production"],
  async run(context, { args: { profile: name } }) {
    const config = await updateConfig(context, (before) => {
      requireProfile(before, name);
      return { ...before, current: name };
    });
    return renderProfile(toProfileView(config, name, requireProfile(config, name)));
  },
});
