import { BROKER_ALIASES } from "../../../contract/aliases.ts";
import { findSunset } from "../../connection/alias-sunset.ts";
import { readConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { toListOutput as listOutput } from "../../output/output.ts";

export const list = command({
  name: "list",
  summary: "show the broker alias map: canonical path, lifecycle, and the sunset dates set here",
  remote: false,
  output: "list",
  options: {},
  examples: ["claims aliases list", "claims aliases list --csv"],
  async run(context) {
    const { sunsets } = await readConfig(context);
    return listOutput({
      items: BROKER_ALIASES.map((alias) => ({
        alias: alias.path,
        canonicalPath: alias.canonicalPath,
        family: alias.family,
        lifecycle: alias.lifecycle,
        sunset: findSunset(sunsets, alias),
      })),
      columns: [
        { name: "alias", isId: true },
        {
          name: "canonicalPath",
          title: "canonical path",
          canWrap: true,
        },
        { name: "family", isHidden: true },
        { name: "lifecycle" },
        { name: "sunset" },
      ],
      idOf: ({ alias }) => alias,
      emptyMessage: "the map is empty",
    });
  },
});
