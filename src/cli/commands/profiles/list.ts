import { command } from "../../command.ts";
import { readConfig } from "../../config/config-file.ts";
import { list as listOutput } from "../../output/output.ts";
import { kindInWords } from "../../secrets.ts";
import { type ShownProfile, shownProfile } from "./shown.ts";

export const list = command({
  name: "list",
  summary: "list the stored profiles",
  remote: false,
  answers: "list",
  options: {},
  examples: ["claims profiles list", "claims profiles list -q"],
  async run(context) {
    const config = await readConfig(context);
    const profiles = Object.entries(config.profiles);
    return listOutput<ShownProfile>({
      items: profiles.map(([name, profile]) => shownProfile(config, name, profile)),
      columns: [
        { name: "name", isId: true, of: ({ name }) => name },
        { name: "current", of: ({ current }) => current, shown: ({ current }) => (current ? "*" : " ") },
        { name: "baseUrl", title: "base URL", of: ({ baseUrl }) => baseUrl },
        { name: "environment", of: ({ environment }) => environment },
        {
          name: "credential",
          of: ({ credential }) => credential?.kind,
          shown: ({ credential }) => credential && kindInWords(credential.kind),
        },
      ],
      idOf: ({ name }) => name,
      empty: "there is no profile yet; `claims auth login` makes one",
    });
  },
});
