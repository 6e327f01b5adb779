import Type from "typebox";
import { report } from "../../contract/diligence.ts";
import { count, date, nullable, strictObject } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { CREDENTIAL_DOCUMENTS } from "./auth.ts";
import { CAPABILITIES_SCHEMA } from "./capabilities.ts";
import { CONFORMANCE_DOCUMENTS } from "./conformance.ts";
import { CONTRACT_DOCUMENTS } from "./contract.ts";
import { DILIGENCE_DOCUMENTS } from "./diligence.ts";
import { SANDBOX_DOCUMENTS } from "./sandbox.ts";
import { listOf, oneOf } from "./shapes.ts";
import { WEBHOOK_DOCUMENTS } from "./webhooks.ts";

const verdict = () => Type.String({ description: "as of webhooks verify" });

const DEMO_DOCUMENTS = {
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

const ALIAS_DOCUMENTS = {
  Aliases: listOf({
    ...each(Type.String, "alias", "canonicalPath", "family"),
    lifecycle: oneOf("long_term", "migration_only"),
    sunset: nullable(date()),
  }),
  AliasUses: listOf({
    alias: Type.String(),
    uses: count(),
    lastUsedAt: Type.String(),
    canonicalPath: nullable(Type.String()),
    lifecycle: nullable(Type.String()),
    sunset: nullable(date()),
  }),
  AliasSunset: strictObject({ alias: Type.String(), sunset: nullable(date()) }),
};

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
