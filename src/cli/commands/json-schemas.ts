import Type from "typebox";
import { each, nullable, strictObject } from "../../contract/schemas.ts";
import { listOf, oneOf, type PrintedSchemas } from "../framework/printed-schemas.ts";
import { ALIAS_SCHEMAS } from "./aliases/json-schemas.ts";
import { CREDENTIAL_SCHEMAS } from "./auth/json-schemas.ts";
import { CONFORMANCE_SCHEMAS } from "./conformance/json-schemas.ts";
import { CONTRACT_SCHEMAS } from "./contract/json-schemas.ts";
import { DEMO_SCHEMAS } from "./demo/json-schemas.ts";
import { DILIGENCE_SCHEMAS } from "./diligence/json-schemas.ts";
import { SANDBOX_SCHEMAS } from "./sandbox/json-schemas.ts";
import { WEBHOOK_SCHEMAS } from "./webhooks/json-schemas.ts";

/** The documents of this program; those of the service have the schemas of its contract. */
export const PRINTED_SCHEMAS: PrintedSchemas = {
  ...CREDENTIAL_SCHEMAS,
  ...DILIGENCE_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...ALIAS_SCHEMAS,
  ...CONTRACT_SCHEMAS,
  ...SANDBOX_SCHEMAS,
  ...CONFORMANCE_SCHEMAS,
  ...DEMO_SCHEMAS,
  HelpTopic: {
    commands: ["help"],
    schema: Type.Union(
      [
        Type.Array(Type.Record(Type.String(), Type.String())),
        strictObject({ version: Type.String(), commands: Type.Array(Type.Object({ name: Type.String() })) }),
      ],
      { description: "the table of a topic; with --all the commands, as in Capabilities" },
    ),
  },
  DoctorChecks: {
    commands: ["doctor"],
    schema: listOf({
      ...each(Type.String, "check", "detail"),
      status: oneOf("ok", "warn", "fail", "skip"),
      hint: nullable(Type.String()),
    }),
  },
};
