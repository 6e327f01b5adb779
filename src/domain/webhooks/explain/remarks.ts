import { type HeaderList, headerValues } from "../headers.ts";
import { shorten } from "./evidence.ts";
import type { ParsedBody } from "./json-text.ts";
import { ASSUMED_SHAPES, describeSecretShape } from "./secret-shape.ts";

/** What is odd about a delivery, but is not why its signature does not match. */
export const REMARKS = {
  "body.content_type": "the Content-Type does not fit the body",
  "secret.shape": "a secret does not look like a signing secret",
} as const satisfies Record<string, string>;

export type RemarkId = keyof typeof REMARKS;

export interface Remark {
  readonly id: RemarkId;
  readonly title: string;
  /** Never a secret. */
  readonly evidence: string;
}

const createRemark = (id: RemarkId, evidence: string | null): Remark[] =>
  evidence === null ? [] : [{ id, title: REMARKS[id], evidence }];

export const remarkOnSecrets = (secrets: readonly string[], isGenuine: boolean): readonly Remark[] =>
  createRemark("secret.shape", describeShapes(secrets, isGenuine));

export const remarkOnDelivery = (headers: HeaderList, body: ParsedBody): readonly Remark[] =>
  createRemark("body.content_type", describeContentType(headers, body));

function describeShapes(secrets: readonly string[], isGenuine: boolean): string | null {
  const all = secrets.flatMap((secret, index) => {
    const faults = describeSecretShape(secret).filter(
      (fault) => !isGenuine || !ASSUMED_SHAPES.includes(fault),
    );
    return faults.length > 0 ? [`secret ${index + 1}: ${faults.join(", ")}`] : [];
  });
  return all.length > 0 ? shorten(all.join("; ")) : null;
}

/** curl sends this type unless it is given another one. */
function describeContentType(headers: HeaderList, body: ParsedBody): string | null {
  const [type = ""] = headerValues(headers, "content-type");
  if (!type.startsWith("application/x-www-form-urlencoded") || body.json === null) return null;
  return `Content-Type is ${shorten(type)}, and the body is JSON`;
}
