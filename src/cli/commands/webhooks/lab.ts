// One file of dist, loaded when a delivery or a secret is looked at.
export { explain } from "../../../domain/webhooks/explain/explain.ts";
export { compareSecrets } from "./compare-secrets.ts";
export { runSign as signBody } from "./sign-body.ts";
export { renderVerdict as verdictBlocks } from "./verdict-blocks.ts";
export { runVerify as verifyDelivery } from "./verify-delivery.ts";
