import { headerValues } from "../../http-headers.ts";
import { type ExplainInput, explain, replaceSignature } from "../explain/explain.ts";
import { explainSignature } from "../explain/explain-signature.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { verify } from "../signature.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";
import { isWholeDigest } from "./named-values.ts";

type Verification = Omit<ExplainInput, "headers" | "body">;

/**
 * The body and the signature that arrived, of those that the record has. The body is the one that verifies, otherwise the most
 * likely one. Of two signatures without a side, the one that verifies arrived if a fault of the receiver gives the other one.
 * Nothing else proves it: the one that verifies can be what a receiver computed rightly of a forged delivery.
 *
 * @param verification with the `computed` signature that the user names, if any
 */
export function chooseReceived(delivery: LoggedDelivery, verification: Verification): LoggedDelivery {
  if (delivery.otherSignatures.length === 0) return chooseBody(delivery, verification.secrets);
  const signatures = listSignatures(delivery);
  const named = verification.computed?.toLowerCase();
  const others = signatures.filter((each) => each.toLowerCase() !== named);
  // The one that the user does not name as computed arrived, if it is the only other one.
  const isOnlyOther = signatures.length === 2 && others.length === 1;
  for (const arrived of others) {
    const received = chooseBody(withSignature(delivery, arrived), verification.secrets);
    const candidates = verification.computed === undefined ? others : [verification.computed];
    const computed = candidates.find(
      (each) =>
        each !== arrived && (isOnlyOther || isFaultOfReceiver(received, { ...verification, computed: each })),
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
export function findComputed(delivery: LoggedDelivery, verification: Verification): string | null {
  const { computed, lacks, headers, body, facts } = delivery;
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  if (computed !== null || lacks === "sides" || signature === "") return computed;
  const isOther = ([name, text]: readonly [string, string]) =>
    isWholeDigest(text) && !OF_SENDER.test(name) && !text.toLowerCase().includes(signature.toLowerCase());
  const others = [...new Set([...facts].filter(isOther).map(([, text]) => text))];
  if (others.length > MAX_OTHER_DIGESTS) return null;
  const isMade = (each: string): boolean => {
    const input = { ...verification, headers: replaceSignature(headers, each), body };
    const { verdict, causes } = explainSignature(input, true);
    return verdict === "valid" || causes.some(({ certainty }) => certainty === "proved");
  };
  return others.find(isMade) ?? null;
}

const listSignatures = ({ headers, otherSignatures }: LoggedDelivery): readonly string[] => [
  ...headerValues(headers, SIGNATURE_HEADER),
  ...otherSignatures,
];

const withSignature = (delivery: LoggedDelivery, signature: string): LoggedDelivery => ({
  ...delivery,
  headers: replaceSignature(delivery.headers, signature),
});

/** The body that verifies; otherwise that of which the receiver computed the right signature: how a log wrote it is no fault. */
function chooseBody(delivery: LoggedDelivery, secrets: readonly string[]): LoggedDelivery {
  const { otherBodies, computed } = delivery;
  if (otherBodies.length === 0) return delivery;
  const ofReceiver = computed === null ? [] : [withSignature(delivery, computed)];
  for (const { headers, body } of [delivery, ...ofReceiver]) {
    const signed = [body, ...otherBodies].find(
      (each) => verify({ secrets, headers, body: each }).verdict === "valid",
    );
    if (signed) return { ...delivery, body: signed };
  }
  return delivery;
}

function isFaultOfReceiver({ headers, body }: LoggedDelivery, verification: Verification): boolean {
  if (verify({ secrets: verification.secrets, headers, body }).verdict !== "valid") return false;
  const { causes } = explain({ ...verification, headers, body });
  return causes.some(({ certainty }) => certainty === "proved");
}
