import { type ClaimsError, verificationError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import type { SecretOptions } from "../options.ts";
import { requireSecrets } from "../signing-secrets.ts";

interface SecretFacts {
  readonly source: string;
  readonly fingerprint: string;
  readonly characters: number;
  /** Null without a secretPrefix to compare with. */
  readonly hasPrefix: boolean | null;
  readonly faults: readonly string[];
}

/** Lists the fingerprints of the secrets; fails unless all of them are the same. */
export async function compareSecrets(
  context: Context,
  options: SecretOptions & { readonly secretPrefix: string | undefined },
): Promise<Output> {
  const { secretPrefix } = options;
  const secrets = await requireSecrets(context, options);
  const items = secrets.map(({ source, secret }): SecretFacts => {
    const hasPrefix = secretPrefix === undefined ? null : secret.startsWith(secretPrefix);
    const { length: characters } = secret;
    return { source, fingerprint: fingerprint(secret), characters, hasPrefix, faults: findFaults(secret) };
  });
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

function findFaults(secret: string): readonly string[] {
  const faults: readonly (readonly [string, boolean])[] = [
    ["empty", secret === ""],
    ["white space around it", secret.trim() !== secret],
    ["quotes around it", /^(["'`]).*\1$/s.test(secret.trim())],
    ["no whsec_ before it", secret !== "" && !/^["'`\s]*whsec_/.test(secret)],
  ];
  return faults.flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}

function findDifference(items: readonly SecretFacts[]): ClaimsError | undefined {
  const count = new Set(items.map((item) => item.fingerprint)).size;
  if (count > 1)
    return verificationError("secrets_differ", `these are ${count} different secrets`, {
      hint: "use the signingSecret that creating the endpoint returned in all places",
    });
  if (items.every(({ hasPrefix }) => hasPrefix !== false)) return undefined;
  return verificationError("prefix_mismatch", "the secret does not begin with the endpoint's secretPrefix", {
    hint: "it is the secret of another endpoint, or an older one",
  });
}
