import * as Type from "typebox";
import { assumed, IN_ALIAS_MAP, rules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

/** Characters. */
const MAX_LENGTH = { subject: 200, message: 5_000 } as const;

const requestFields = {
  recipient: s.email(),
  subject: s.singleLine(MAX_LENGTH.subject, "a subject"),
  message: Type.String({
    minLength: 1,
    maxLength: MAX_LENGTH.message,
    pattern: "\\S",
    description: "a message that is not blank",
  }),
};

export const notification = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  environment: s.environment(),
  ...requestFields,
  diligenceJobId: s.nullable(s.uuid()),
  status: Type.Enum(["requested"]),
  createdAt: s.dateTime(),
});

export const create = defineOperation({
  id: "notifications.create",
  summary: "Request a notification",
  method: "POST",
  path: "/v1/notifications",
  ...IN_ALIAS_MAP,
  request: s.jsonBody(resourcesBasis, {
    ...requestFields,
    diligenceJobId: Type.Optional(s.idReference("diligence job that it is about")),
  }),
  response: { status: 201, label: resourcesBasis, schema: notification },
  problems: ["job_not_found"],
  behaviours: rules(
    resourcesBasis,
    "The request is stored; the sandbox sends no notification.",
    "diligenceJobId is a job of the caller in the credential's environment.",
  ),
});
