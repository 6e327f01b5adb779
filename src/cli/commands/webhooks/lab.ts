// One file of dist, loaded when a delivery or a secret is looked at.
export { explain } from "../../../domain/webhooks/explain/explain.ts";
export { compareSecrets } from "./compare-secrets.ts";
export { runSign } from "./sign-body.ts";
export { renderVerdict } from "./verdict-blocks.ts";
export { runVerify } from "./verify-delivery.ts";
