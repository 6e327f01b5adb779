import * as Type from "typebox";
import { OFFER_STATES } from "../../domain/claims/states.ts";
import { each } from "../../domain/each.ts";
import { assumed, IN_ALIAS_MAP, rules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

const state = () => Type.Enum([...OFFER_STATES]);

const gradeAdvance = s.labelledObject(resourcesBasis, {
  claimCents: s.cents(),
  rateBps: Type.Integer({ minimum: 0, maximum: 10_000, description: "Hundredths of a percent" }),
  advanceCents: s.cents(),
});

export const offer = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  claimId: s.uuid(),
  status: state(),
  currency: s.currency(),
  ...each(s.cents, "advanceCents", "feeCents", "payoutCents"),
  byGrade: s.byGrade(resourcesBasis, gradeAdvance),
  createdAt: s.dateTime(),
});

export const create = defineOperation({
  id: "offers.create",
  summary: "Request financing of a claim",
  method: "POST",
  path: "/v1/offers",
  ...IN_ALIAS_MAP,
  request: s.jsonBody(resourcesBasis, { claimId: s.idReference("claim") }),
  response: { status: 201, label: resourcesBasis, schema: offer },
  problems: ["claim_not_found", "claim_not_open"],
  behaviours: rules(
    assumed("rules"),
    "The advance is a share of the claim by grade: A 80 %, B 65 %, C 40 %, D 15 %, X nothing; illustrative.",
    "The fee is 2 % of the advance, and the rest is paid out.",
    "The request accepts the offer: the offer is accepted at once, and the claim is financed. The offer is declined where diligence was declined, or where it would amount to nothing.",
  ),
});

export const list = defineOperation({
  id: "offers.list",
  summary: "List the offers",
  method: "GET",
  path: "/v1/offers",
  ...IN_ALIAS_MAP,
  ...s.definePagedListOperation("aliases", resourcesBasis, offer, {
    claimId: Type.Optional(s.idReference("claim")),
    status: Type.Optional(state()),
  }),
  behaviours: rules(
    assumed("aliases"),
    "The newest offer comes first; the list is empty for a claim of another partner.",
  ),
});
