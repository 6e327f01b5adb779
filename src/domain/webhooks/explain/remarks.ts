import { shorten } from "./evidence.ts";
import { ASSUMED_SHAPES, describeSecretShape } from "./secrets.ts";

/** What is odd about a delivery, but is not why its signature does not match. */
export const REMARKS = {
  "secret.shape": "a secret does not look like a signing secret",
} as const satisfies Record<string, string>;

export type RemarkId = keyof typeof REMARKS;

export interface Remark {
  readonly id: RemarkId;
  readonly title: string;
  /** Never a secret. */
  readonly evidence: string;
}

export function remarkOnSecrets(secrets: readonly string[], isGenuine: boolean): readonly Remark[] {
  const all = secrets.flatMap((secret, index) => {
    const faults = describeSecretShape(secret).filter(
      (fault) => !isGenuine || !ASSUMED_SHAPES.includes(fault),
    );
    return faults.length > 0 ? [`secret ${index + 1}: ${faults.join(", ")}`] : [];
  });
  const evidence = shorten(all.join("; "));
  return evidence === "" ? [] : [{ id: "secret.shape", title: REMARKS["secret.shape"], evidence }];
}
