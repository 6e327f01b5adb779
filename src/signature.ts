// The library's way to sign and verify deliveries, and to find out why one does not verify. It needs nothing but
// node:crypto.
export { CAUSES, type Cause, type CauseId, type CauseText } from "./domain/webhooks/explain/causes.ts";
export type { Compression, Decompress } from "./domain/webhooks/explain/compression.ts";
export { explain } from "./domain/webhooks/explain/explain.ts";
export type { ExplainInput, Explanation } from "./domain/webhooks/explain/explain-signature.ts";
export type { CandidateSecret } from "./domain/webhooks/explain/secrets.ts";
export { REMARKS, type Remark } from "./domain/webhooks/explain/secrets.ts";
export { fingerprint } from "./domain/webhooks/fingerprint.ts";
export {
  type DeliveryHeaders,
  EVENT_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "./domain/webhooks/headers.ts";
export {
  type SignInput,
  sign,
  type VerifyFailure,
  type VerifyInput,
  type VerifyResult,
  verify,
} from "./domain/webhooks/signature.ts";
