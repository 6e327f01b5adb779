import Type, { type Static } from "typebox";
import { OFFER_STATES } from "../domain/claims/offer.ts";
import { assumed, documented, fields } from "./basis.ts";
import { operation } from "./operation.ts";
import { CREATES } from "./problem.ts";
import { anId, cents, currency, instant, listQuery, pageAnswer, uuid } from "./schemas.ts";

const ours = assumed("resources");

const state = () => Type.Enum([...OFFER_STATES]);

const gradeAdvance = Type.Object(
  fields(ours, {
    claimCents: cents(),
    rateBps: Type.Integer({ minimum: 0, maximum: 10_000, description: "Hundredths of a percent" }),
    advanceCents: cents(),
  }),
);

export const offer = Type.Object(
  fields(ours, {
    id: uuid(),
    claimId: uuid(),
    status: state(),
    currency: currency(),
    advanceCents: cents(),
    feeCents: cents(),
    payoutCents: cents(),
    byGrade: Type.Object(
      fields(ours, { A: gradeAdvance, B: gradeAdvance, C: gradeAdvance, D: gradeAdvance, X: gradeAdvance }),
    ),
    createdAt: instant(),
  }),
);

export type Offer = Static<typeof offer>;

export const create = operation({
  id: "offers.create",
  summary: "Ask for financing of a claim",
  method: "POST",
  path: "/v1/offers",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(fields(ours, { claimId: anId("claim") }), { additionalProperties: false }),
  },
  answer: { status: 201, label: ours, schema: offer },
  problems: [...CREATES, "claim_not_found", "claim_not_open", "body_too_large", "unsupported_media_type"],
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

export const list = operation({
  id: "offers.list",
  summary: "List the offers",
  method: "GET",
  path: "/v1/offers",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  query: listQuery("aliases", {
    claimId: Type.Optional(anId("claim")),
    status: Type.Optional(state()),
  }),
  answer: pageAnswer("aliases", ours, offer),
  problems: ["cursor_invalid"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "The newest comes first; a claim of somebody else has no offer.", ...assumed("aliases") },
  ],
});
