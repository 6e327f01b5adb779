// One file of dist, loaded when a delivery or a secret is looked at.
export { explain } from "../../../domain/webhooks/explain/explain.ts";
export { compareSecrets } from "./fingerprint/compare-secrets.ts";
export { runSign } from "./sign/run.ts";
export { runVerify } from "./verify/run.ts";
export { renderVerdict } from "./verify/verdict-view.ts";
