import { ClaimsError } from "../../../domain/errors.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../context.ts";
import { list, type Output } from "../../output/output.ts";
import { type GivenSecret, requiredSecrets } from "./given-secrets.ts";
import type { SecretOptions } from "./options.ts";

/** What is told of a secret. */
interface Told {
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
  const secrets = await requiredSecrets(context, options);
  const items = secrets.map((given) => told(given, options.secretPrefix));
  return list({
    items,
    columns: [
      { name: "source", of: ({ source }) => source },
      { name: "fingerprint", of: (item) => item.fingerprint },
      { name: "characters", align: "right", of: ({ characters }) => characters },
      { name: "prefix", of: ({ hasPrefix }) => (hasPrefix === null ? null : hasPrefix ? "fits" : "differs") },
      { name: "faults", of: ({ faults }) => faults },
    ],
    idOf: (item) => item.fingerprint,
    empty: "no secret",
    failure: () => difference(items),
  });
}

const told = ({ source, secret }: GivenSecret, prefix: string | undefined): Told => ({
  source,
  fingerprint: fingerprint(secret),
  characters: secret.length,
  hasPrefix: prefix === undefined ? null : secret.startsWith(prefix),
  faults: faultsOf(secret),
});

function faultsOf(secret: string): readonly string[] {
  const faults: readonly (readonly [string, boolean])[] = [
    ["empty", secret === ""],
    ["white space around it", secret.trim() !== secret],
    ["quotes around it", /^(["'`]).*\1$/s.test(secret.trim())],
    ["no whsec_ before it", secret !== "" && !/^["'`\s]*whsec_/.test(secret)],
  ];
  return faults.flatMap(([fault, is]) => (is ? [fault] : []));
}

function difference(items: readonly Told[]): ClaimsError | undefined {
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
