import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isProved } from "../explain/causes.ts";
import { explain, replaceSignature } from "../explain/explain.ts";
import { type ExplainInput, type Explanation, explainSignature } from "../explain/explain-signature.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { verify } from "../signature.ts";
import { type ReceivedDelivery, signatureOf } from "./delivery.ts";
import { isAccepted, type LoggedDelivery } from "./logged-delivery.ts";
import { isWholeDigest } from "./signature-values.ts";

export type Verification = Omit<ExplainInput, "headers" | "body">;

/**
 * The delivery with the body and the signature that arrived, and the signature that the receiver computed: `verify` and `triage`
 * judge the same. That one of two signatures verifies does not show that it arrived: a receiver computes it rightly of a forged
 * delivery, too.
 *
 * @param verification with the `computed` signature that the user names, if any
 */
export function chooseReceived<T extends LoggedDelivery>(delivery: T, verification: Verification): T {
  const single = chooseSignature(delivery, verification.computed);
  if (single === null) return { ...delivery, lacks: "roles" };
  const chosen = chooseBody(single, verification.secrets);
  const received = { ...chosen, computed: verification.computed ?? findComputed(chosen, verification) };
  const { computed, headers } = received;
  if (computed !== null && isSwapped(received, computed, verification))
    return { ...received, headers: replaceSignature(headers, computed), computed: signatureOf(received) };
  return canBeSwapped(received, verification) ? { ...received, computed: null, lacks: "roles" } : received;
}

/** With the one signature that arrived: of two, the one that the user does not name as computed. Null if that leaves several or none. */
function chooseSignature<T extends LoggedDelivery>(delivery: T, named: string | undefined): T | null {
  const others = listOtherSignatures(delivery, named);
  if (others.length === 0) return delivery;
  const { headers, lacks } = delivery;
  const all = [...headerValues(headers, SIGNATURE_HEADER), ...others];
  const [arrived, another] = all.filter((each) => each.toLowerCase() !== named?.toLowerCase());
  if (arrived === undefined || another !== undefined || all.length !== 2) return null;
  return {
    ...delivery,
    headers: replaceSignature(headers, arrived),
    otherSignatures: [],
    areRolesUnsure: false,
    lacks: lacks === "roles" ? null : lacks,
  };
}

/** Those that can have arrived besides the one in the headers. The user knows better which one arrived than the words of an assertion. */
function listOtherSignatures(delivery: LoggedDelivery, named: string | undefined): readonly string[] {
  const { areRolesUnsure, computed, otherSignatures } = delivery;
  const isNamed = named !== undefined && signatureOf(delivery) === named;
  return areRolesUnsure && isNamed && computed !== null ? [computed] : otherSignatures;
}

/**
 * Whether the signature that verifies can be the receiver's own, of a forged delivery: only words such as `expected` and `actual`
 * say that it arrived, and no fault of a receiver explains the other one.
 */
function canBeSwapped(delivery: LoggedDelivery, verification: Verification): boolean {
  const { areRolesUnsure, computed } = delivery;
  if (!areRolesUnsure || computed === null || verification.computed !== undefined) return false;
  const isValid = verify({ ...delivery, secrets: verification.secrets }).verdict === "valid";
  return isValid && !isComputedOf(delivery, computed, verification);
}

/**
 * Whether it is proved that only words of an assertion have the roles the wrong way round: the signature that is called computed
 * verifies, and the other one has a fault of a receiver, who alone has the secret besides the sender.
 */
function isSwapped(delivery: LoggedDelivery, computed: string, verification: Verification): boolean {
  const { body, headers, mayBeSwapped } = delivery;
  const signature = signatureOf(delivery);
  if (!mayBeSwapped || signature === "" || verification.computed !== undefined) return false;
  const isSigned = (each: ReceivedDelivery["headers"]) =>
    verify({ secrets: verification.secrets, headers: each, body }).verdict === "valid";
  return (
    !isSigned(headers) &&
    isSigned(replaceSignature(headers, computed)) &&
    isComputedOf(delivery, signature, verification)
  );
}

/** Whether a delivery verifies, and why not, by all that its record says. */
export const explainReceived = (
  delivery: ReceivedDelivery & Partial<LoggedDelivery>,
  verification: Verification,
): Explanation =>
  explain({
    ...verification,
    headers: delivery.headers,
    body: delivery.body,
    computed: verification.computed ?? delivery.computed ?? undefined,
    secretPrefix: verification.secretPrefix ?? delivery.secretPrefix,
    isParsed: delivery.lacks === "parsed_body",
    isRefused: delivery.isRefused && !delivery.isBodyAtLineEnd,
    isRequest: delivery.isRequest,
  });

/** Names of other signatures that arrive, such as X-Hub-Signature-256. */
const OF_SENDER = /signature|\bsig\b|header|(?:^|\.)x-/i;

/** More digests than that are of many things. */
const MAX_OTHER_DIGESTS = 3;

/**
 * The digest beside the signature that the receiver computed, whatever its name: only if it is one of this delivery with
 * these secrets, which a digest of anything else is not. Null without one, and for a record that names it.
 */
function findComputed(delivery: LoggedDelivery, verification: Verification): string | null {
  const { computed, facts, status } = delivery;
  const signature = signatureOf(delivery);
  if (computed !== null || signature === "" || isAccepted(status)) return computed;
  const isOther = ([name, text]: readonly [string, string]) =>
    isWholeDigest(text) && !OF_SENDER.test(name) && !text.toLowerCase().includes(signature.toLowerCase());
  const others = [...new Set([...facts].filter(isOther).map(([, text]) => text))];
  if (others.length > MAX_OTHER_DIGESTS) return null;
  return others.find((each) => isComputedOf(delivery, each, verification)) ?? null;
}

/** Whether the record says enough for a verdict: the text that a receiver hashed is worth explaining without what arrived. */
export function isJudgeable(
  { lacks, computed, headers }: LoggedDelivery,
  verification: Verification,
): boolean {
  if (lacks === null || lacks === "headers") return true;
  if (computed === null || lacks === "signature" || lacks === "roles" || lacks === "timestamp") return false;
  const isTimed = headerValues(headers, TIMESTAMP_HEADER).length > 0;
  return (
    lacks === "parsed_body" ||
    (isTimed && isComputedOf({ headers, body: Buffer.alloc(0) }, computed, verification))
  );
}

/** Whether it is a signature of the delivery with these secrets, right or with a fault that can be undone. */
function isComputedOf(
  { headers, body }: ReceivedDelivery,
  computed: string,
  verification: Verification,
): boolean {
  const arrived = { headers: replaceSignature(headers, computed), body };
  const input = { ...verification, ...arrived, toleranceSeconds: undefined };
  const explanation = explainSignature(input, { isComputed: true });
  return explanation.verdict === "valid" || isProved(explanation);
}

/** The body that verifies; otherwise that of which the receiver computed the right signature: how a log wrote it is no fault. */
function chooseBody<T extends LoggedDelivery>(delivery: T, secrets: readonly string[]): T {
  const { headers, computed } = delivery;
  const [body = delivery.body, ...others] = listBodies(delivery);
  if (others.length === 0) return delivery;
  for (const each of [headers, ...(computed === null ? [] : [replaceSignature(headers, computed)])]) {
    const isSigned = (bytes: Buffer) => verify({ secrets, headers: each, body: bytes }).verdict === "valid";
    const signed = [body, ...others].find(isSigned);
    if (signed) return { ...delivery, body: signed };
  }
  return { ...delivery, body };
}

/** What can be the body. Text of a log that begins with the timestamp and a full stop is the base string, and the body follows. */
function listBodies({ headers, body, otherBodies, isRequest }: LoggedDelivery): readonly Buffer[] {
  const all = [body, ...otherBodies.map(({ bytes }) => bytes)];
  const beginning = `${headerValues(headers, TIMESTAMP_HEADER)[0]}.`;
  return all.flatMap((bytes) =>
    !isRequest && bytes.toString("latin1", 0, beginning.length) === beginning
      ? [bytes.subarray(beginning.length), bytes]
      : [bytes],
  );
}
