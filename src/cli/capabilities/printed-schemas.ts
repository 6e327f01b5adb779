import Type, { type TSchema } from "typebox";
import type { OperationId } from "../../contract/operations.ts";
import { nullable } from "../../contract/schemas.ts";
import type { PrintedSchemas } from "../framework/printed-schemas.ts";
import { CAPABILITIES_SCHEMA } from "./schema.ts";

/** A line on stderr with `--json`, as is a warning or an error. */
const note = Type.Object({
  note: Type.Object({
    message: Type.String(),
    jobId: Type.Optional(Type.String({ description: "of the new job" })),
    scanId: Type.Optional(Type.String({ description: "of the new scan" })),
    path: Type.Optional(Type.String({ description: "of the file that was written" })),
  }),
});

const warning = Type.Object({ warning: Type.Object({ message: Type.String() }) });

const dryRunRequest = Type.Object({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), { description: "variables stand for secrets" }),
  body: nullable(
    Type.Object(
      { kind: Type.Enum(["bytes", "form", "multipart"]) },
      { description: "bytes have text or a source; a form has fields; multipart has fields and a file" },
    ),
  ),
});

/** What `--dry-run` prints instead of the result: the first request, or all requests of a run. */
const dryRun = Type.Union([dryRunRequest, Type.Object({ requests: Type.Array(dryRunRequest) })]);

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

/**
 * Command → the operation whose unchanged response `--json` prints, for one id and without `--wait`. A real service may send other fields than
 * this schema, which is assumed where the interface shows none.
 */
const OPERATION_BY_COMMAND = {
  "auth token": "oauth.token",
  "diligence submit": "diligence.submit",
  "diligence resume": "diligence.resume",
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
  "scans delta": "scans.create",
  "scans get": "scans.get",
  "scans summary": "scans.summary",
  "orgs get": "orgs.get",
  "orgs onboard": "orgs.onboard",
  "notifications create": "notifications.create",
} as const satisfies Readonly<Record<string, OperationId>>;

/** Command → the name in {@link loadAllSchemas} of what it prints. */
export const mapCommandsToSchemas = (printed: PrintedSchemas): ReadonlyMap<string, string> =>
  new Map([
    ["capabilities", "Capabilities"],
    ...Object.entries(OPERATION_BY_COMMAND),
    ...Object.entries(printed).flatMap(([name, { commands }]) =>
      commands.map((command) => [command, name] as const),
    ),
  ]);

/** Loads the operations here: a static import would move them into a file that every command loads. */
export async function loadAllSchemas(printed: PrintedSchemas): Promise<Readonly<Record<string, TSchema>>> {
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
    DryRun: dryRun,
    ...Object.fromEntries(Object.entries(printed).map(([name, { schema }]) => [name, schema])),
    ...Object.fromEntries(ofOperations),
  };
}
