import Type from "typebox";
import { report } from "../../contract/diligence.ts";
import { count, each, strictObject } from "../../contract/schemas.ts";

const verdict = () => Type.String({ description: "as of webhooks verify" });

export const DEMO_DOCUMENTS = {
  Demo: strictObject({
    report,
    datasetRows: count(),
    resumed: report,
    webhook: strictObject({
      ...each(Type.String, "endpointId", "deliveryId"),
      states: Type.Array(Type.String(), { description: "of the delivery, after each attempt" }),
      verdict: verdict(),
      changed: strictObject({ verdict: verdict(), causes: Type.Array(Type.String()) }),
    }),
  }),
};
