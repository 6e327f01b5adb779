import Type from "typebox";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { cents, currency, dateTime, idReference, uuid } from "./schemas.ts";

const assumedField = assumed("resources");

/** More are enrolled in several requests. */
const MAX_CLAIMS = 100;

const enrolledClaim = Type.Object(
  labelFields(assumedField, { claimId: uuid(), litigationCents: cents(), feeCents: cents() }),
);

export const enrollment = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    status: Type.Enum(["enrolled"]),
    currency: currency(),
    claims: Type.Array(enrolledClaim),
    litigationCents: cents(),
    feeCents: cents(),
    createdAt: dateTime(),
  }),
);

export const enroll = defineOperation({
  id: "litigation.enroll",
  summary: "Enroll claims in litigation",
  method: "POST",
  path: "/v1/litigation/enroll",
  label: documented("§4 Broker alias map: enrolls claims"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(assumedField, {
        claimIds: Type.Array(idReference("claim"), { minItems: 1, maxItems: MAX_CLAIMS }),
      }),
      { additionalProperties: false },
    ),
  },
  response: { status: 201, label: assumedField, schema: enrollment },
  problems: [
    ...WRITE_PROBLEMS,
    "claim_not_found",
    "claim_in_litigation",
    "nothing_to_litigate",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    { rule: "All of the claims are enrolled or none; one named twice counts once.", ...assumed("rules") },
    {
      rule: "What is litigated is the part of a claim whose route is litigation; a claim without one is refused.",
      ...assumed("rules"),
    },
    { rule: "Of what is litigated 5 % are a fee; illustrative.", ...assumed("rules") },
  ],
});
