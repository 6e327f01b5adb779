import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isProved } from "../explain/causes.ts";
import { type ExplainInput, replaceSignature } from "../explain/explain.ts";
import { explainSignature } from "../explain/explain-signature.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { verify } from "../signature.ts";
import type { ReceivedDelivery } from "./delivery.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";
import { isWholeDigest } from "./signature-values.ts";

type Verification = Omit<ExplainInput, "headers" | "body">;

/** The body and the signature that arrived, of those that the record has, and the signature that the receiver computed. */
export function chooseReceived(delivery: LoggedDelivery, verification: Verification): LoggedDelivery {
  const received = chooseSides(delivery, verification);
  return { ...received, computed: verification.computed ?? findComputed(received, verification) };
}

/**
 * The body and the signature that arrived. The body is the one that verifies, otherwise the most
 * likely one. Of two signatures without a side, the one that verifies arrived if a fault of the receiver gives the other one.
 * Nothing else proves it: the one that verifies can be what a receiver computed rightly of a forged delivery.
 *
 * @param verification with the `computed` signature that the user names, if any
 */
function chooseSides(delivery: LoggedDelivery, verification: Verification): LoggedDelivery {
  const { headers, otherSignatures } = delivery;
  const { secrets, computed: named } = verification;
  if (otherSignatures.length === 0) return chooseBody(delivery, secrets);
  const signatures = [...headerValues(headers, SIGNATURE_HEADER), ...otherSignatures];
  const others = signatures.filter((each) => each.toLowerCase() !== named?.toLowerCase());
  // The one that the user does not name as computed arrived, if it is the only other one.
  const isOnlyOther = signatures.length === 2 && others.length === 1;
  for (const arrived of others) {
    const received = chooseBody({ ...delivery, headers: replaceSignature(headers, arrived) }, secrets);
    const isRight = verify({ secrets, ...received }).verdict === "valid";
    const computed = (named === undefined ? others : [named]).find(
      (each) => each !== arrived && (isOnlyOther || (isRight && isComputedOf(received, each, verification))),
    );
    const lacks = delivery.lacks === "sides" ? null : delivery.lacks;
    if (computed !== undefined) return { ...received, computed, otherSignatures: [], lacks };
  }
  return { ...delivery, lacks: "sides" };
}

/** Names of other signatures that arrive, such as X-Hub-Signature-256. */
const OF_SENDER = /signature|\bsig\b|header|(?:^|\.)x-/i;

/** More digests than that are of many things. */
const MAX_OTHER_DIGESTS = 3;

/**
 * The digest beside the signature that the receiver computed, whatever its name: only if it is one of this delivery with
 * these secrets, which a digest of anything else is not. Null without one, and for a record that names it.
 */
function findComputed(delivery: LoggedDelivery, verification: Verification): string | null {
  const { computed, lacks, headers, facts } = delivery;
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  if (computed !== null || lacks === "sides" || signature === "") return computed;
  const isOther = ([name, text]: readonly [string, string]) =>
    isWholeDigest(text) && !OF_SENDER.test(name) && !text.toLowerCase().includes(signature.toLowerCase());
  const others = [...new Set([...facts].filter(isOther).map(([, text]) => text))];
  if (others.length > MAX_OTHER_DIGESTS) return null;
  return others.find((each) => isComputedOf(delivery, each, verification)) ?? null;
}

/** Whether the receiver computed its signature of a text that needs no body: of nothing, or of a word in its place. */
export const isHashedWithoutBody = ({ headers }: LoggedDelivery, verification: Verification): boolean =>
  verification.computed !== undefined &&
  headerValues(headers, TIMESTAMP_HEADER).length > 0 &&
  isComputedOf({ headers, body: Buffer.alloc(0) }, verification.computed, verification);

/** Whether it is a signature of the delivery with these secrets, right or with a fault that can be undone. */
function isComputedOf(
  { headers, body }: ReceivedDelivery,
  computed: string,
  verification: Verification,
): boolean {
  // Its age is no question here.
  const input = {
    ...verification,
    toleranceSeconds: undefined,
    headers: replaceSignature(headers, computed),
    body,
  };
  const explanation = explainSignature(input, { isComputed: true });
  return explanation.verdict === "valid" || isProved(explanation);
}

/** The body that verifies; otherwise that of which the receiver computed the right signature: how a log wrote it is no fault. */
function chooseBody(delivery: LoggedDelivery, secrets: readonly string[]): LoggedDelivery {
  const { headers, body, otherBodies, computed } = delivery;
  if (otherBodies.length === 0) return delivery;
  for (const each of [headers, ...(computed === null ? [] : [replaceSignature(headers, computed)])]) {
    const isSigned = (bytes: Buffer) => verify({ secrets, headers: each, body: bytes }).verdict === "valid";
    const signed = [body, ...otherBodies].find(isSigned);
    if (signed) return { ...delivery, body: signed };
  }
  return delivery;
}
