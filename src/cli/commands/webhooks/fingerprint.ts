import { command } from "../../command.ts";
import { parseSecretPrefix, secretOptions } from "./options.ts";

export const fingerprint = command({
  name: "fingerprint",
  summary: "compare signing secrets without showing them",
  remote: false,
  answers: "list",
  options: {
    ...secretOptions,
    secretPrefix: {
      value: "prefix",
      parse: parseSecretPrefix,
      help: "compare with the endpoint's secretPrefix, too",
    },
  },
  examples: [
    "claims webhooks fingerprint --secret-file deployed.txt --secret-file stored.txt",
    "claims webhooks fingerprint --secret-file deployed.txt --secret-prefix whsec_Ab12Cd",
  ],
  async run(context, { options }) {
    const { compareSecrets } = await import("./lab.ts");
    return compareSecrets(context, options);
  },
});
