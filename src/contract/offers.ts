import Type, { type Static } from "typebox";
import { OFFER_STATES } from "../domain/claims/offer.ts";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { cents, currency, dateTime, idReference, listQuery, pageResponse, uuid } from "./schemas.ts";

const assumedField = assumed("resources");

const state = () => Type.Enum([...OFFER_STATES]);

const gradeAdvance = Type.Object(
  labelFields(assumedField, {
    claimCents: cents(),
    rateBps: Type.Integer({ minimum: 0, maximum: 10_000, description: "Hundredths of a percent" }),
    advanceCents: cents(),
  }),
);

export const offer = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    claimId: uuid(),
    status: state(),
    currency: currency(),
    advanceCents: cents(),
    feeCents: cents(),
    payoutCents: cents(),
    byGrade: Type.Object(
      labelFields(assumedField, {
        A: gradeAdvance,
        B: gradeAdvance,
        C: gradeAdvance,
        D: gradeAdvance,
        X: gradeAdvance,
      }),
    ),
    createdAt: dateTime(),
  }),
);

export type Offer = Static<typeof offer>;

export const create = defineOperation({
  id: "offers.create",
  summary: "Ask for financing of a claim",
  method: "POST",
  path: "/v1/offers",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(labelFields(assumedField, { claimId: idReference("claim") }), {
      additionalProperties: false,
    }),
  },
  response: { status: 201, label: assumedField, schema: offer },
  problems: [
    ...WRITE_PROBLEMS,
    "claim_not_found",
    "claim_not_open",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    {
      rule: "The advance is a share of the claim by grade: A 80 %, B 65 %, C 40 %, D 15 %, X nothing; illustrative.",
      ...assumed("rules"),
    },
    { rule: "Of the advance 2 % are a fee, and the rest is paid out.", ...assumed("rules") },
    {
      rule: "Whoever asks accepts: the offer is accepted at once, and the claim financed. It is declined where diligence was declined, or where it would come to nothing.",
      ...assumed("rules"),
    },
  ],
});

export const list = defineOperation({
  id: "offers.list",
  summary: "List the offers",
  method: "GET",
  path: "/v1/offers",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  query: listQuery("aliases", {
    claimId: Type.Optional(idReference("claim")),
    status: Type.Optional(state()),
  }),
  response: pageResponse("aliases", assumedField, offer),
  problems: ["cursor_invalid"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "The newest comes first; a claim of somebody else has no offer.", ...assumed("aliases") },
  ],
});
