// One file of dist, loaded when a delivery or a secret is looked at.
export { compareSecrets } from "./compare-secrets.ts";
export { signBody } from "./sign-body.ts";
export { verifyDelivery } from "./verify-delivery.ts";
