import { CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { RAW_BODY_EXAMPLES } from "../../domain/webhooks/explain/raw-body-examples.ts";
import { REMARKS } from "../../domain/webhooks/explain/remarks.ts";
import { getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { DIAGNOSES, REMARKS as PROBE_REMARKS } from "../../domain/webhooks/probe/diagnoses.ts";
import type { Capabilities } from "./schema.ts";

type WebhookParts = Pick<
  Capabilities,
  "signatureCauses" | "signatureRemarks" | "rawBodyExamples" | "probeCases" | "diagnoses" | "probeRemarks"
>;

export const describeWebhooks = (): WebhookParts => ({
  signatureCauses: Object.entries(CAUSES).map(([id, { title, fix }]) => ({ id, title, fix })),
  signatureRemarks: Object.entries(REMARKS).map(([id, title]) => ({ id, title })),
  rawBodyExamples: Object.entries(RAW_BODY_EXAMPLES).map(([framework, code]) => ({ framework, code })),
  probeCases: listCaseIds().map((id) => {
    const { sends, expects, basis, source } = getCase(id);
    return { id, sends, expects, basis, source };
  }),
  diagnoses: Object.entries(DIAGNOSES).map(([id, { title, fix }]) => ({ id, title, fix })),
  probeRemarks: Object.entries(PROBE_REMARKS).map(([id, advice]) => ({ id, advice })),
});
