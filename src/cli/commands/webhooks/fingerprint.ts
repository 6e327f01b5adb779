import { type ClaimsError, notFoundError, rejectedError, verificationError } from "../../../domain/errors.ts";
import { describeSecretShape } from "../../../domain/webhooks/explain/secret-shape.ts";
import { fingerprint as fingerprintOf } from "../../../domain/webhooks/fingerprint.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { SERVICE_OPTIONS } from "../../framework/options.ts";
import { toListOutput } from "../../output/output.ts";
import { idOf, readItems } from "../../records/paged-list.ts";
import { parseSecretPrefix, type SecretOptions, secretOptions } from "./options.ts";
import { requireSecrets } from "./signing-secrets.ts";

const { baseUrl, environment, dotenv, sandboxName, caFile, verbose } = SERVICE_OPTIONS;

export const fingerprint = command({
  name: "fingerprint",
  prints: "SecretFingerprints",
  summary: "compare signing secrets without showing them",
  output: "list",
  quietPrints: "fingerprints",
  options: {
    ...secretOptions,
    secretPrefix: {
      value: "prefix",
      parse: parseSecretPrefix,
      help: "compare with the secretPrefix of the endpoint too",
    },
    endpoint: {
      value: "endpoint",
      conflicts: ["secretPrefix"],
      help: "read the secretPrefix of this endpoint from the service",
    },
    baseUrl,
    environment,
    dotenv,
    sandboxName,
    caFile,
    verbose,
  },
  examples: [
    "claims webhooks fingerprint --secret-file deployed.txt --secret-file stored.txt",
    "claims webhooks fingerprint --secret-file deployed.txt --secret-prefix whsec_Ab12Cd",
    "claims webhooks fingerprint --secret-file deployed.txt --endpoint 4b1f…",
  ],
  async run(context, call) {
    const { endpoint, secretPrefix } = call.options;
    const prefix =
      endpoint === undefined
        ? secretPrefix
        : await readSecretPrefix(await openService(context, call), endpoint);
    return compareSecrets(context, call.options, prefix);
  },
});

/** Searches the list, because no route returns a single endpoint (interface §4). */
async function readSecretPrefix({ client, operations }: Service, id: string): Promise<string> {
  const pages = client.list(operations.webhooks.endpoints, { query: {} });
  for await (const endpoint of readItems(pages, "webhook endpoints")) {
    if (idOf(endpoint) !== id) continue;
    if (typeof endpoint.secretPrefix === "string") return endpoint.secretPrefix;
    throw rejectedError("response_incomplete", `endpoint ${id} has no secretPrefix`, {
      hint: "the interface promises it (§2); `claims webhooks list --json` shows the service's response",
    });
  }
  throw notFoundError("endpoint_not_found", `endpoint ${id} not found for this credential`, {
    hint: "`claims webhooks list` lists the endpoints",
  });
}

interface SecretFacts {
  readonly source: string;
  readonly fingerprint: string;
  readonly characters: number;
  /** Null without a secretPrefix to compare with. */
  readonly hasPrefix: boolean | null;
  readonly faults: readonly string[];
}

async function compareSecrets(context: Context, options: SecretOptions, prefix: string | undefined) {
  const items = (await requireSecrets(context, options)).map(
    ({ source, secret }): SecretFacts => ({
      source,
      fingerprint: fingerprintOf(secret),
      characters: secret.length,
      hasPrefix: prefix === undefined ? null : secret.startsWith(prefix),
      faults: describeSecretShape(secret),
    }),
  );
  return toListOutput({
    items,
    columns: [
      { name: "source" },
      { name: "fingerprint" },
      { name: "characters", align: "right" },
      {
        name: "prefix",
        value: ({ hasPrefix }) => (hasPrefix === null ? null : hasPrefix ? "matches" : "differs"),
      },
      { name: "faults" },
    ],
    idOf: (item) => item.fingerprint,
    emptyMessage: "no secret",
    failure: () => findDifference(items),
  });
}

/** Faults of the text come first: they hide the prefix of the right secret. */
function findHint(items: readonly SecretFacts[]): string {
  const faults = [...new Set(items.flatMap((each) => each.faults))];
  return faults.length > 0
    ? `store the secret exactly as it was returned; it has faults: ${faults.join(", ")}`
    : "it may be the secret of another endpoint, or an older one";
}

function findDifference(items: readonly SecretFacts[]): ClaimsError | undefined {
  const count = new Set(items.map((item) => item.fingerprint)).size;
  if (count > 1)
    return verificationError("secrets_differ", `these are ${count} different secrets`, {
      hint: "use the signingSecret that creating the endpoint returned in all places",
    });
  if (items.every(({ hasPrefix }) => hasPrefix !== false)) return undefined;
  return verificationError("secrets_differ", "the secret does not begin with the endpoint's secretPrefix", {
    hint: findHint(items),
  });
}
