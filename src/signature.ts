// The library's way to sign and verify deliveries, and to find out why one does not verify. It needs nothing but
// node:crypto.
export { CAUSES, type Cause, type CauseId, type CauseText } from "./domain/webhooks/explain/causes.ts";
export { type ExplainInput as Case, type Explanation, explain } from "./domain/webhooks/explain/explain.ts";
export type { CandidateSecret as Suspect } from "./domain/webhooks/explain/secrets.ts";
export { fingerprint } from "./domain/webhooks/fingerprint.ts";
export {
  type DeliveryHeaders,
  EVENT_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "./domain/webhooks/headers.ts";
export {
  type VerifyResult as Judgement,
  type VerifyInput as Receipt,
  type VerifyFailure as Refusal,
  type SignInput as Signing,
  sign,
  verify,
} from "./domain/webhooks/signature.ts";
