import Type, { type TSchema } from "typebox";
import type { OPERATIONS } from "../../contract/operations.ts";
import { CAPABILITIES_SCHEMA } from "./schema.ts";

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** A line on stderr with `--json`, as is a warning or an error. */
const note = Type.Object({
  note: Type.Object({
    message: Type.String(),
    jobId: Type.Optional(Type.String({ description: "of the new job" })),
    scanId: Type.Optional(Type.String({ description: "of the new scan" })),
  }),
});

const warning = Type.Object({ warning: Type.Object({ message: Type.String() }) });

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
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          line: nullable(Type.Integer()),
          column: nullable(Type.String()),
          code: Type.String(),
          message: Type.String(),
        }),
        { description: "the errors of an input file, in the order of its lines" },
      ),
    ),
  }),
});

type Operations = typeof OPERATIONS;
type OperationId = {
  [Noun in keyof Operations]: `${Noun & string}.${keyof Operations[Noun] & string}`;
}[keyof Operations];

/**
 * Command → the operation whose unchanged response `--json` prints, for one id. A real service may send other fields than
 * this schema, which is assumed where the interface shows none.
 */
const OPERATION_BY_COMMAND = {
  "diligence status": "diligence.status",
  "diligence wait": "diligence.report",
  "diligence report": "diligence.report",
  "diligence dataset": "diligence.dataset",
  "webhooks create": "webhooks.create",
  "webhooks list": "webhooks.endpoints",
  "webhooks deliveries": "webhooks.deliveries",
  "webhooks test": "webhooks.test",
  "clients list": "clients.list",
  "clients create": "clients.create",
  "claims list": "claims.list",
  "claims create": "claims.create",
  "claims status": "claims.status",
  "offers list": "offers.list",
  "offers create": "offers.create",
  "litigation enroll": "litigation.enroll",
  "revenue ledger": "revenue.ledger",
  "revenue dashboard": "revenue.dashboard",
  "scans create": "scans.create",
  "scans get": "scans.get",
  "scans summary": "scans.summary",
  "orgs get": "orgs.get",
  "orgs onboard": "orgs.onboard",
  "notifications create": "notifications.create",
} as const satisfies Readonly<Record<string, OperationId>>;

/** The name in {@link loadPrintedSchemas} of what a command prints; null without a schema. */
export function findPrintedSchema(command: string): string | null {
  if (command === "capabilities") return "Capabilities";
  if (!Object.hasOwn(OPERATION_BY_COMMAND, command)) return null;
  return OPERATION_BY_COMMAND[command as keyof typeof OPERATION_BY_COMMAND];
}

/** Loads the operations here: a static import would move them into a file that every command loads. */
export async function loadPrintedSchemas(): Promise<Readonly<Record<string, TSchema>>> {
  const { ALL_OPERATIONS } = await import("../../contract/operations.ts");
  const used = new Set<string>(Object.values(OPERATION_BY_COMMAND));
  const ofOperations = ALL_OPERATIONS.filter(({ id }) => used.has(id)).map(({ id, response }) => [
    id,
    response.schema,
  ]);
  return {
    Capabilities: CAPABILITIES_SCHEMA,
    Note: note,
    Warning: warning,
    Error: error,
    ...Object.fromEntries(ofOperations),
  };
}
