import { notFoundError, rejectedError, usageError } from "../../../../domain/errors.ts";
import { openService, type Service } from "../../../connection/service.ts";
import { command } from "../../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../../framework/options.ts";
import { idOf, readItems, type ServiceRecord } from "../../../records/paged-list.ts";
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
      help: "compare with the secretPrefix of the endpoint too",
    },
    endpoint: { value: "endpoint", help: "read the secretPrefix of this endpoint from the service" },
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
    if (endpoint !== undefined && options.secretPrefix !== undefined)
      throw usageError("option_conflict", "--endpoint and --secret-prefix exclude each other", {
        hint: "give one of them",
      });
    const { compareSecrets } = await import("./compare-secrets.ts");
    if (endpoint === undefined) return compareSecrets(context, options);
    const { secretPrefix } = await findEndpoint(await openService(context, call), endpoint);
    if (typeof secretPrefix === "string") return compareSecrets(context, { ...options, secretPrefix });
    throw rejectedError("missing_prefix", `endpoint ${endpoint} has no secretPrefix`, {
      hint: "the interface promises it (§2); `claims webhooks list --json` shows the service's response",
    });
  },
});

/** Searches the list, because no route returns a single endpoint (interface §4). */
async function findEndpoint({ client, operations }: Service, id: string): Promise<ServiceRecord> {
  const pages = client.list(operations.webhooks.endpoints, { query: {} });
  for await (const item of readItems(pages, "webhook endpoints")) if (idOf(item) === id) return item;
  throw notFoundError("endpoint_not_found", `endpoint ${id} not found for this credential`, {
    hint: "`claims webhooks list` lists the endpoints",
  });
}
