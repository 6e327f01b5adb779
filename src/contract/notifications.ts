import Type from "typebox";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { dateTime, email, environment, idReference, nullable, singleLine, uuid } from "./schemas.ts";

/** Characters. */
const MAX_LENGTH = { subject: 200, message: 5_000 } as const;

const assumedField = assumed("resources");

const requestFields = {
  recipient: email(),
  subject: singleLine(MAX_LENGTH.subject, "a subject"),
  message: Type.String({
    ...{ minLength: 1, maxLength: MAX_LENGTH.message, pattern: "\\S" },
    description: "a message that is not blank",
  }),
};

export const notification = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    environment: environment(),
    ...requestFields,
    diligenceJobId: nullable(uuid()),
    status: Type.Enum(["requested"]),
    createdAt: dateTime(),
  }),
);

export const create = defineOperation({
  id: "notifications.create",
  summary: "Request a notification",
  method: "POST",
  path: "/v1/notifications",
  label: documented("§4 Broker alias map: creates notification requests"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(assumedField, {
        ...requestFields,
        diligenceJobId: Type.Optional(idReference("diligence job that it is about")),
      }),
      { additionalProperties: false },
    ),
  },
  response: { status: 201, label: assumedField, schema: notification },
  problems: [...WRITE_PROBLEMS, "job_not_found", "body_too_large", "unsupported_media_type"],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    { rule: "The request is kept; the sandbox notifies nobody.", ...assumedField },
    { rule: "diligenceJobId is a job of the caller's in the credential's environment.", ...assumedField },
  ],
});
