import Type, { type TSchema } from "typebox";
import type { Operation } from "../../contract/operation.ts";
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
    option: Type.Optional(
      Type.String({ description: "the option, argument or variable whose value is wrong, if one is" }),
    ),
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

/** Command → the name in {@link collectSchemas} of a document of this program that it prints. */
export const mapCommandsToSchemas = (printed: PrintedSchemas): ReadonlyMap<string, string> =>
  new Map([
    ["capabilities", "Capabilities"],
    ...Object.entries(printed).flatMap(([name, { commands }]) =>
      commands.map((command) => [command, name] as const),
    ),
  ]);

/**
 * The schemas of the documents of this program, and of the responses of operations. A real service may send other fields than
 * those, which are assumed where the interface shows none.
 */
export const collectSchemas = (
  printed: PrintedSchemas,
  operations: readonly Operation[],
): Readonly<Record<string, TSchema>> => ({
  Capabilities: CAPABILITIES_SCHEMA,
  Note: note,
  Warning: warning,
  Error: error,
  DryRun: dryRun,
  ...Object.fromEntries(Object.entries(printed).map(([name, { schema }]) => [name, schema])),
  ...Object.fromEntries(operations.map(({ id, response }) => [id, response.schema])),
});
