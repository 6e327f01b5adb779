import { headerValues } from "../../http-headers.ts";
import { type DeliveryHeaders, listHeaders, SIGNATURE_HEADER } from "../headers.ts";
import { blameReceiver, type Cause, createCause } from "./causes.ts";
import { decodeSignatures } from "./decoded-signatures.ts";
import { explainSignature } from "./explain-signature.ts";
import { WorkBudget } from "./work-budget.ts";

/** Bytes of the body that the work is for: none is hashed. */
const NO_BODY = 0;

/**
 * A cause that needs no secret: headers that did not arrive, or a receiver that compares two notations of one digest. It does
 * not say that the delivery is genuine. Null if nothing shows one.
 *
 * @param computed the signature that a receiver computed, as it printed it
 */
export function findCauseWithoutSecret(
  { headers, body }: { readonly headers: DeliveryHeaders; readonly body: Uint8Array },
  computed: string | undefined,
): Cause | null {
  const list = listHeaders(headers);
  const [signature = ""] = headerValues(list, SIGNATURE_HEADER);
  if (signature === "") {
    const { causes } = explainSignature({ secrets: [], headers: list, body });
    return causes.find(({ id }) => id === "headers.missing" || id === "signature.missing") ?? null;
  }
  if (computed === undefined || computed === signature) return null;
  const work = new WorkBudget(NO_BODY);
  const decoded = decodeSignatures([computed], [], work).find(
    ({ matches, faults }) => matches(signature) && faults.every(({ id }) => id === "signature.encoding"),
  );
  if (decoded === undefined) return null;
  const notation = decoded.faults.map(({ description }) => description).join(", with ");
  const evidence = `your receiver computed the signature that arrived; it matches as ${notation}`;
  return blameReceiver(createCause("signature.encoding", "proved", evidence));
}
