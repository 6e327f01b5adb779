import Type, { type TSchema } from "typebox";
import { OPERATIONS } from "../../contract/operations.ts";
import { CAPABILITIES_SCHEMA } from "./schema.ts";

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** What `--json` prints on stderr for a failure. */
const error = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    hint: nullable(Type.String()),
    status: nullable(Type.Integer({ description: "of the HTTP response" })),
    requestId: nullable(Type.String()),
    jobId: nullable(Type.String()),
    retryable: Type.Boolean({ description: "whether the same command may succeed later" }),
    exitCode: Type.Integer(),
  }),
});

const { webhooks, diligence, clients, claims, offers, litigation, revenue, scans, orgs, notifications } =
  OPERATIONS;

/**
 * Command → the operation whose unchanged response `--json` prints, for one id. A real service may send other fields than
 * this schema, which is assumed where the interface shows none.
 */
const OPERATION_BY_COMMAND = {
  "diligence status": diligence.status,
  "diligence wait": diligence.report,
  "diligence report": diligence.report,
  "diligence dataset": diligence.dataset,
  "webhooks create": webhooks.create,
  "webhooks list": webhooks.endpoints,
  "webhooks deliveries": webhooks.deliveries,
  "webhooks test": webhooks.test,
  "clients list": clients.list,
  "clients create": clients.create,
  "claims list": claims.list,
  "claims create": claims.create,
  "claims status": claims.status,
  "offers list": offers.list,
  "offers create": offers.create,
  "litigation enroll": litigation.enroll,
  "revenue ledger": revenue.ledger,
  "revenue dashboard": revenue.dashboard,
  "scans create": scans.create,
  "scans get": scans.get,
  "scans summary": scans.summary,
  "orgs get": orgs.get,
  "orgs onboard": orgs.onboard,
  "notifications create": notifications.create,
} as const;

/** The name in {@link PRINTED_SCHEMAS} of what a command prints; null without a schema. */
export function findPrintedSchema(command: string): string | null {
  if (command === "capabilities") return "Capabilities";
  if (!Object.hasOwn(OPERATION_BY_COMMAND, command)) return null;
  return OPERATION_BY_COMMAND[command as keyof typeof OPERATION_BY_COMMAND].id;
}

export const PRINTED_SCHEMAS: Readonly<Record<string, TSchema>> = {
  Capabilities: CAPABILITIES_SCHEMA,
  Error: error,
  ...Object.fromEntries(Object.values(OPERATION_BY_COMMAND).map(({ id, response }) => [id, response.schema])),
};
