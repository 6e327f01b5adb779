import { ClaimsError } from "../../../../domain/errors.ts";
import { openService } from "../../../connection/service.ts";
import { command } from "../../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../../framework/options.ts";
import { findEndpoint } from "../endpoints.ts";
import { parseSecretPrefix, secretOptions, secretProfile } from "../options.ts";

const { baseUrl, environment, dotenv, caFile, verbose } = SERVICE_OPTIONS;

export const fingerprint = command({
  name: "fingerprint",
  summary: "compare signing secrets without showing them",
  remote: false,
  output: "list",
  options: {
    ...secretOptions,
    ...secretProfile,
    secretPrefix: {
      value: "prefix",
      parse: parseSecretPrefix,
      help: "compare with the endpoint's secretPrefix, too",
    },
    endpoint: { value: "endpoint", help: "ask the service for the secretPrefix of this endpoint" },
    baseUrl,
    environment,
    dotenv,
    caFile,
    verbose,
  },
  examples: [
    "claims webhooks fingerprint --secret-file deployed.txt --secret-file stored.txt",
    "claims webhooks fingerprint --secret-file deployed.txt --secret-prefix whsec_Ab12Cd",
    "claims webhooks fingerprint --secret-file deployed.txt --endpoint 4b1f…",
  ],
  async run(context, call) {
    const { endpoint, ...options } = call.options;
    if (endpoint !== undefined && options.secretPrefix !== undefined) throw twoPrefixesError();
    const { compareSecrets } = await import("../lab.ts");
    if (endpoint === undefined) return compareSecrets(context, options);
    const { secretPrefix } = await findEndpoint(await openService(context, call), endpoint);
    if (typeof secretPrefix === "string") return compareSecrets(context, { ...options, secretPrefix });
    throw new ClaimsError(
      "rejected",
      "no_prefix",
      `the service tells no secretPrefix of endpoint ${endpoint}`,
      {
        hint: "`claims webhooks list --json` shows what it tells; interface §2 has the field",
      },
    );
  },
});

const twoPrefixesError = (): ClaimsError =>
  new ClaimsError("usage", "two_prefixes", "--endpoint and --secret-prefix exclude each other", {
    hint: "give one of them",
  });
