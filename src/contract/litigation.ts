import Type from "typebox";
import { assumed, documented, fields } from "./basis.ts";
import { operation } from "./operation.ts";
import { CREATES } from "./problem.ts";
import { anId, cents, currency, instant, uuid } from "./schemas.ts";

const ours = assumed("resources");

/** More are enrolled in several requests. */
const MOST_CLAIMS = 100;

const enrolledClaim = Type.Object(
  fields(ours, { claimId: uuid(), litigationCents: cents(), feeCents: cents() }),
);

export const enrollment = Type.Object(
  fields(ours, {
    id: uuid(),
    status: Type.Enum(["enrolled"]),
    currency: currency(),
    claims: Type.Array(enrolledClaim),
    litigationCents: cents(),
    feeCents: cents(),
    createdAt: instant(),
  }),
);

export const enroll = operation({
  id: "litigation.enroll",
  summary: "Enroll claims in litigation",
  method: "POST",
  path: "/v1/litigation/enroll",
  label: documented("§4 Broker alias map: enrolls claims"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      fields(ours, { claimIds: Type.Array(anId("claim"), { minItems: 1, maxItems: MOST_CLAIMS }) }),
      { additionalProperties: false },
    ),
  },
  answer: { status: 201, label: ours, schema: enrollment },
  problems: [
    ...CREATES,
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
