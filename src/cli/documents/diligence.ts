import * as Type from "typebox";
import { report } from "../../contract/operations/diligence.ts";
import { cents, closedObject, count, date, dateTime, environment, nullable } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { listOf, oneOf } from "./shapes.ts";

/** A check has no job and no contract. */
const { jobId: _, contractVersion: __, ...offlineFields } = report.properties;

export const DILIGENCE_DOCUMENTS = {
  OfflineReport: Type.Object(offlineFields),
  BatchItems: Type.Array(
    Type.Object(
      {
        ...each(Type.String, "file", "seller"),
        jobId: nullable(Type.String()),
        state: Type.String({ description: "of the job, or of the submission if the batch does not wait" }),
        outcome: nullable(Type.String({ description: "of the rf8Review" })),
        key: nullable(Type.String({ description: "the Idempotency-Key" })),
        error: nullable(
          closedObject({ ...each(Type.String, "code", "message", "hint"), line: nullable(count()) }),
        ),
      },
      { additionalProperties: Type.String({ description: "the other columns of the manifest" }) },
    ),
  ),
  Deadlines: listOf({
    deadline: date(),
    daysLeft: Type.Integer(),
    urgent: Type.Boolean(),
    route: nullable(Type.String()),
    entries: count(),
    ieepaDutyCents: nullable(cents()),
    jobId: Type.String(),
    ...each(() => nullable(Type.String({ description: "null: not submitted here" })), "file", "seller"),
  }),
  Writes: listOf({
    at: dateTime(),
    key: Type.String({ description: "the Idempotency-Key" }),
    operation: Type.String({ description: "id, or method and path" }),
    baseUrl: Type.String(),
    environment: environment(),
    content: Type.String({ description: "SHA-256: equal for equal writes" }),
    seller: nullable(Type.String()),
    file: nullable(Type.String()),
    fileSha256: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: "absolute; absent for a pipe" })),
    bytes: nullable(count()),
    target: Type.Optional(Type.String({ description: "the id in the path of the request" })),
    jobId: nullable(Type.String()),
    outcome: Type.String({
      description: "accepted, refused, not sent, forgotten (counts as sent), unknown or in flight",
    }),
    state: nullable(Type.String({ description: "of the job, as last seen" })),
    code: nullable(Type.String({ description: "of the error" })),
    responseFile: Type.Optional(
      Type.String({ description: "absolute path of the response, if a person must look at it" }),
    ),
    status: nullable(Type.Integer({ description: "of the HTTP response" })),
  }),
  EntryColumns: listOf({
    column: nullable(Type.String()),
    es003Heading: nullable(Type.String()),
    required: Type.Boolean(),
    ...each(Type.String, "format", "example", "source"),
    alsoAccepted: Type.Array(Type.String()),
    basis: oneOf("documented", "assumed"),
  }),
  PullManifest: closedObject({
    ...each(Type.String, "jobId", "baseUrl"),
    contractHash: nullable(Type.String({ description: "of the contract that the service serves" })),
    contractVersion: nullable(
      Type.String({ description: "of report and dataset; null if neither names one" }),
    ),
    ...each(() => Type.Unknown({ description: "as the service sent it" }), "runCount", "finishedAt"),
    pulledAt: dateTime(),
    files: listOf({ ...each(Type.String, "name", "sha256"), bytes: count() }),
  }),
};
