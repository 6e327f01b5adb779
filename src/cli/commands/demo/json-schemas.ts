import Type from "typebox";
import { report } from "../../../contract/diligence.ts";
import { count, each } from "../../../contract/schemas.ts";
import { closed, type PrintedSchemas } from "../../framework/printed-schemas.ts";

const verdict = () => Type.String({ description: "as of webhooks verify" });

export const DEMO_SCHEMAS: PrintedSchemas = {
  Demo: {
    commands: ["demo"],
    schema: closed({
      report,
      datasetRows: count(),
      resumed: report,
      webhook: closed({
        ...each(Type.String, "endpointId", "deliveryId"),
        states: Type.Array(Type.String(), { description: "of the delivery, after each attempt" }),
        verdict: verdict(),
        changed: closed({ verdict: verdict(), causes: Type.Array(Type.String()) }),
      }),
    }),
  },
};
