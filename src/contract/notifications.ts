import Type from "typebox";
import { assumed, documented, fields } from "./basis.ts";
import { operation } from "./operation.ts";
import { CREATES } from "./problem.ts";
import { anId, email, environment, instant, line, nullable, uuid } from "./schemas.ts";

/** Characters. */
const LONGEST = { subject: 200, message: 5_000 } as const;

const ours = assumed("resources");

const wanted = {
  recipient: email(),
  subject: line(LONGEST.subject, "a subject"),
  message: Type.String({
    ...{ minLength: 1, maxLength: LONGEST.message, pattern: "\\S" },
    description: "a message that is not blank",
  }),
};

export const notification = Type.Object(
  fields(ours, {
    id: uuid(),
    environment: environment(),
    ...wanted,
    diligenceJobId: nullable(uuid()),
    status: Type.Enum(["requested"]),
    createdAt: instant(),
  }),
);

export const create = operation({
  id: "notifications.create",
  summary: "Request a notification",
  method: "POST",
  path: "/v1/notifications",
  label: documented("§4 Broker alias map: creates notification requests"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      fields(ours, {
        ...wanted,
        diligenceJobId: Type.Optional(anId("diligence job that it is about")),
      }),
      { additionalProperties: false },
    ),
  },
  answer: { status: 201, label: ours, schema: notification },
  problems: [...CREATES, "job_not_found", "body_too_large", "unsupported_media_type"],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    { rule: "The request is kept; the sandbox notifies nobody.", ...ours },
    { rule: "diligenceJobId is a job of the caller's in the credential's environment.", ...ours },
  ],
});
