// One file of dist, loaded when a delivery or a secret is looked at.
export { explain } from "../../../domain/webhooks/explain/explain.ts";
export { compareSecrets } from "./compare-secrets.ts";
export { signBody } from "./sign-body.ts";
export { verdictBlocks } from "./verdict-blocks.ts";
export { verifyDelivery } from "./verify-delivery.ts";
