import { shorten } from "./evidence.ts";
import { ASSUMED_SHAPES, describeSecretShape } from "./secrets.ts";

/** What is odd about a delivery, but is not why its signature does not match. */
export const REMARKS = {
  "secret.shape": "a secret does not look like a signing secret",
  "secret.other_prefix": "the secret that signed is not the one of the endpoint with this secretPrefix",
} as const satisfies Record<string, string>;

export type RemarkId = keyof typeof REMARKS;

export interface Remark {
  readonly id: RemarkId;
  readonly title: string;
  /** Never a secret. */
  readonly evidence: string;
}

interface Known {
  readonly isGenuine: boolean;
  /** The index of the secret that signed. */
  readonly secretIndex: number | null;
  /** That the endpoint has, if known. */
  readonly secretPrefix: string | undefined;
}

export function remarkOnSecrets(
  secrets: readonly string[],
  { isGenuine, secretIndex, secretPrefix }: Known,
): readonly Remark[] {
  const shapes = secrets.flatMap((secret, index) => {
    const faults = describeSecretShape(secret).filter(
      (fault) => !isGenuine || !ASSUMED_SHAPES.includes(fault),
    );
    return faults.length > 0 ? [`secret ${index + 1}: ${faults.join(", ")}`] : [];
  });
  const signer = secretIndex === null ? undefined : secrets[secretIndex];
  const isOther = signer !== undefined && secretPrefix !== undefined && !signer.startsWith(secretPrefix);
  return [
    ...remark("secret.shape", shapes.join("; ")),
    ...remark("secret.other_prefix", isOther ? `it does not begin with ${shorten(secretPrefix)}` : ""),
  ];
}

const remark = (id: RemarkId, evidence: string): readonly Remark[] =>
  evidence === "" ? [] : [{ id, title: REMARKS[id], evidence: shorten(evidence) }];
