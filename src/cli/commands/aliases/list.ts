import { BROKER_ALIASES } from "../../../contract/aliases.ts";
import { sunsetOf } from "../../aliases/sunset.ts";
import { command } from "../../command.ts";
import { readConfig } from "../../config/config-file.ts";
import { list as listOutput } from "../../output/output.ts";

export const list = command({
  name: "list",
  summary: "show the broker alias map: canonical path, lifecycle, and the sunset dates set here",
  remote: false,
  answers: "list",
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
        sunset: sunsetOf(sunsets, alias),
      })),
      columns: [
        { name: "alias", isId: true, of: ({ alias }) => alias },
        {
          name: "canonicalPath",
          title: "canonical path",
          of: ({ canonicalPath }) => canonicalPath,
          wraps: true,
        },
        { name: "family", of: ({ family }) => family, hidden: true },
        { name: "lifecycle", of: ({ lifecycle }) => lifecycle },
        { name: "sunset", of: ({ sunset }) => sunset },
      ],
      idOf: ({ alias }) => alias,
      empty: "the map is empty",
    });
  },
});
