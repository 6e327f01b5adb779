import { BROKER_ALIASES } from "../../../contract/aliases.ts";
import { findSunset } from "../../connection/broker-aliases.ts";
import { readConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

export const list = command({
  name: "list",
  prints: "Aliases",
  summary: "list the broker aliases with canonical path, lifecycle and your sunset dates",
  output: "list",
  quietPrints: "aliases",
  examples: ["claims aliases list", "claims aliases list --csv"],
  async run(context) {
    const { sunsets } = await readConfig(context);
    return toListOutput({
      items: BROKER_ALIASES.map((row) => {
        const { path: alias, canonicalPath, family, lifecycle } = row;
        return { alias, canonicalPath, family, lifecycle, sunset: findSunset(sunsets, row) };
      }),
      columns: [
        { name: "alias", isId: true },
        { name: "canonicalPath", title: "canonical path", canWrap: true },
        { name: "family", isHidden: true },
        { name: "lifecycle" },
        { name: "sunset" },
      ],
      emptyMessage: "no aliases",
    });
  },
});
