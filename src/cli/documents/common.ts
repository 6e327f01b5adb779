import * as Type from "typebox";
import { mapOf, nullable } from "../../contract/schemas.ts";

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

const dryRun = Type.Object(
  {
    method: Type.String(),
    url: Type.String(),
    headers: mapOf(Type.String(), { description: "variables stand for secrets" }),
    body: nullable(
      Type.Object(
        { contentType: Type.String() },
        { description: "a text, the fields of a form, or a file, with the fields of its form or alone" },
      ),
    ),
  },
  { description: "every command with --dry-run: the first request of a run" },
);

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

/** What every command can print, beside its own document. */
export const COMMON_DOCUMENTS = { Note: note, Warning: warning, Error: error, DryRun: dryRun };
