import { ClaimsError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import type { SecretOptions } from "../options.ts";
import { requireSecrets, type SigningSecret } from "../signing-secrets.ts";

/** What is told of a secret. */
interface SecretFacts {
  readonly source: string;
  readonly fingerprint: string;
  readonly characters: number;
  /** Whether it begins as the endpoint's secret does; null where nobody asked. */
  readonly hasPrefix: boolean | null;
  readonly faults: readonly string[];
}

/** Fingerprints of secrets, and whether all of them are the same. */
export async function compareSecrets(
  context: Context,
  options: SecretOptions & { readonly secretPrefix: string | undefined },
): Promise<Output> {
  const secrets = await requireSecrets(context, options);
  const items = secrets.map((given) => describeSecret(given, options.secretPrefix));
  return toListOutput({
    items,
    columns: [
      { name: "source" },
      { name: "fingerprint", value: (item) => item.fingerprint },
      { name: "characters", align: "right" },
      {
        name: "prefix",
        value: ({ hasPrefix }) => (hasPrefix === null ? null : hasPrefix ? "fits" : "differs"),
      },
      { name: "faults" },
    ],
    idOf: (item) => item.fingerprint,
    emptyMessage: "no secret",
    failure: () => findDifference(items),
  });
}

const describeSecret = ({ source, secret }: SigningSecret, prefix: string | undefined): SecretFacts => ({
  source,
  fingerprint: fingerprint(secret),
  characters: secret.length,
  hasPrefix: prefix === undefined ? null : secret.startsWith(prefix),
  faults: findFaults(secret),
});

function findFaults(secret: string): readonly string[] {
  const faults: readonly (readonly [string, boolean])[] = [
    ["empty", secret === ""],
    ["white space around it", secret.trim() !== secret],
    ["quotes around it", /^(["'`]).*\1$/s.test(secret.trim())],
    ["no whsec_ before it", secret !== "" && !/^["'`\s]*whsec_/.test(secret)],
  ];
  return faults.flatMap(([fault, is]) => (is ? [fault] : []));
}

function findDifference(items: readonly SecretFacts[]): ClaimsError | undefined {
  const kinds = new Set(items.map((item) => item.fingerprint)).size;
  if (kinds > 1)
    return new ClaimsError("verification", "secrets_differ", `these are ${kinds} different secrets`, {
      hint: "use the signingSecret that creating the endpoint returned in all places",
    });
  if (items.every(({ hasPrefix }) => hasPrefix !== false)) return undefined;
  return new ClaimsError(
    "verification",
    "other_prefix",
    "the secret does not begin with the endpoint's secretPrefix",
    {
      hint: "it is the secret of another endpoint, or an older one",
    },
  );
}
