import * as Type from "typebox";
import { assumed, IN_ALIAS_MAP, rules } from "../labels.ts";
import { cents, currency, dateTime, idReference, jsonBody, labelledObject, uuid } from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

/** Claims in one request. */
const MAX_CLAIMS = 100;

export const enrollment = labelledObject(resourcesBasis, {
  id: uuid(),
  status: Type.Enum(["enrolled"]),
  currency: currency(),
  claims: Type.Array(
    labelledObject(resourcesBasis, { claimId: uuid(), litigationCents: cents(), feeCents: cents() }),
  ),
  litigationCents: cents(),
  feeCents: cents(),
  createdAt: dateTime(),
});

export const enroll = defineOperation({
  id: "litigation.enroll",
  summary: "Enroll claims in litigation",
  method: "POST",
  path: "/v1/litigation/enroll",
  ...IN_ALIAS_MAP,
  request: jsonBody(resourcesBasis, {
    claimIds: Type.Array(idReference("claim"), { minItems: 1, maxItems: MAX_CLAIMS }),
  }),
  response: { status: 201, label: resourcesBasis, schema: enrollment },
  problems: ["claim_not_found", "claim_in_litigation", "nothing_to_litigate"],
  behaviours: rules(
    assumed("rules"),
    "All of the claims are enrolled or none; a claim that is named twice counts once.",
    "The part of a claim whose route is litigation is litigated; a claim without such a part is refused.",
    "The fee is 5 % of the litigated amount; illustrative.",
  ),
});
