import Type from "typebox";
import { each, nullable, strictObject } from "../../contract/schemas.ts";
import { ALIAS_DOCUMENTS } from "./aliases.ts";
import { CREDENTIAL_DOCUMENTS } from "./auth.ts";
import { CAPABILITIES_SCHEMA } from "./capabilities.ts";
import { CONFORMANCE_DOCUMENTS } from "./conformance.ts";
import { CONTRACT_DOCUMENTS } from "./contract.ts";
import { DEMO_DOCUMENTS } from "./demo.ts";
import { DILIGENCE_DOCUMENTS } from "./diligence.ts";
import { SANDBOX_DOCUMENTS } from "./sandbox.ts";
import { listOf, oneOf } from "./shapes.ts";
import { WEBHOOK_DOCUMENTS } from "./webhooks.ts";

/** The documents of this program; those of the service have the schemas of its contract. */
export const DOCUMENTS = {
  Capabilities: CAPABILITIES_SCHEMA,
  ...CREDENTIAL_DOCUMENTS,
  ...DILIGENCE_DOCUMENTS,
  ...WEBHOOK_DOCUMENTS,
  ...ALIAS_DOCUMENTS,
  ...CONTRACT_DOCUMENTS,
  ...SANDBOX_DOCUMENTS,
  ...CONFORMANCE_DOCUMENTS,
  ...DEMO_DOCUMENTS,
  HelpTopic: Type.Union(
    [
      Type.Array(Type.Record(Type.String(), Type.String())),
      strictObject({ version: Type.String(), commands: Type.Array(Type.Object({ name: Type.String() })) }),
    ],
    { description: "the table of a topic; with --all the commands, as in Capabilities" },
  ),
  DoctorChecks: listOf({
    ...each(Type.String, "check", "detail"),
    status: oneOf("ok", "warn", "fail", "skip"),
    hint: nullable(Type.String()),
  }),
};
