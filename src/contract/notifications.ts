import Type from "typebox";
import { assumed, documented, fields } from "./basis.ts";
import { operation } from "./operation.ts";
import { CREATES } from "./problem.ts";
import { environment, instant, nullable, uuid } from "./schemas.ts";

/** Characters. */
const LONGEST = { email: 254, subject: 200, message: 5_000, id: 100 } as const;

const ours = assumed("resources");

const text = (longest: number, what: string) =>
  Type.String({ minLength: 1, maxLength: longest, pattern: "\\S", description: `${what} that is not blank` });

const wanted = {
  recipient: Type.String({
    maxLength: LONGEST.email,
    pattern: "^[^@\\s]+@[^@\\s]+$",
    description: "an e-mail address",
  }),
  subject: text(LONGEST.subject, "a subject"),
  message: text(LONGEST.message, "a message"),
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
        diligenceJobId: Type.Optional(
          Type.String({ maxLength: LONGEST.id, description: "the id of a diligence job that it is about" }),
        ),
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
