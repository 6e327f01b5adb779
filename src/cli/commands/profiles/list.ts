import { readConfig } from "../../connection/config-file.ts";
import { describeCredentialKind } from "../../connection/secrets.ts";
import { command } from "../../framework/command.ts";
import { toListOutput as listOutput } from "../../output/output.ts";
import { type ProfileView, toProfileView } from "./profile-view.ts";

export const list = command({
  name: "list",
  summary: "list the stored profiles",
  remote: false,
  output: "list",
  options: {},
  examples: ["claims profiles list", "claims profiles list -q"],
  async run(context) {
    const config = await readConfig(context);
    const profiles = Object.entries(config.profiles);
    return listOutput<ProfileView>({
      items: profiles.map(([name, profile]) => toProfileView(config, name, profile)),
      columns: [
        { name: "name", isId: true },
        { name: "current", display: ({ current }) => (current ? "*" : " ") },
        { name: "baseUrl", title: "base URL" },
        { name: "environment" },
        {
          name: "credential",
          value: ({ credential }) => credential?.kind,
          display: ({ credential }) => credential && describeCredentialKind(credential.kind),
        },
      ],
      idOf: ({ name }) => name,
      emptyMessage: "there is no profile yet; `claims auth login` makes one",
    });
  },
});
