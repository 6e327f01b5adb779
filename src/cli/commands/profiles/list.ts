import { readConfig } from "../../connection/config-file.ts";
import { describeCredentialKind } from "../../connection/secrets.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";
import { toProfileView } from "./profile-view.ts";

export const list = command({
  name: "list",
  prints: "Profiles",
  summary: "list profiles",
  output: "list",
  quietPrints: "names",
  examples: ["claims profiles list", "claims profiles list -q"],
  async run(context) {
    const config = await readConfig(context);
    return toListOutput({
      items: Object.keys(config.profiles).map((name) => toProfileView(config, name)),
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
      emptyMessage: "no profiles yet; `claims auth login` creates one",
    });
  },
});
