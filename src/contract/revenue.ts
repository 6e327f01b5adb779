import Type, { type Static } from "typebox";
import { REVENUE_TYPES } from "../domain/claims/revenue.ts";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import {
  cents,
  count,
  currency,
  dateTime,
  environment,
  idReference,
  listQuery,
  nullable,
  pageResponse,
  uuid,
} from "./schemas.ts";

const assumedField = assumed("resources");

const revenueType = () => Type.Enum([...REVENUE_TYPES]);

export const ledgerEntry = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    type: revenueType(),
    claimId: uuid(),
    offerId: nullable(uuid()),
    enrollmentId: nullable(uuid()),
    currency: currency(),
    amountCents: cents(),
    balanceCents: Type.Integer({ minimum: 0, description: "All revenue up to this entry; integer US cents" }),
    createdAt: dateTime(),
  }),
);

const claimFigures = Type.Object(labelFields(assumedField, { count: count(), estimatedClaimCents: cents() }));

export const dashboard = Type.Object(
  labelFields(assumedField, {
    environment: environment(),
    asOf: dateTime(),
    currency: currency(),
    claims: Type.Object(
      labelFields(assumedField, {
        count: count(),
        estimatedClaimCents: cents(),
        byStatus: Type.Object(
          labelFields(assumedField, {
            open: claimFigures,
            financed: claimFigures,
            in_litigation: claimFigures,
          }),
        ),
      }),
    ),
    offers: Type.Object(
      labelFields(assumedField, {
        accepted: count(),
        declined: count(),
        advanceCents: cents(),
        feeCents: cents(),
        payoutCents: cents(),
      }),
    ),
    litigation: Type.Object(
      labelFields(assumedField, { claims: count(), litigationCents: cents(), feeCents: cents() }),
    ),
    revenue: Type.Object(
      labelFields(assumedField, {
        entries: count(),
        originationFeeCents: cents(),
        litigationFeeCents: cents(),
        totalCents: cents(),
      }),
    ),
  }),
);

export type LedgerEntry = Static<typeof ledgerEntry>;
export type Dashboard = Static<typeof dashboard>;

export const ledger = defineOperation({
  id: "revenue.ledger",
  summary: "List what was earned, entry by entry",
  method: "GET",
  path: "/v1/revenue/ledger",
  label: documented("§4 Broker alias map: read"),
  auth: "credential",
  query: listQuery("aliases", {
    claimId: Type.Optional(idReference("claim")),
    type: Type.Optional(revenueType()),
  }),
  response: pageResponse("aliases", assumedField, ledgerEntry),
  problems: ["cursor_invalid"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    {
      rule: "An accepted offer and every claim enrolled in litigation earn their fee, in one entry each; nothing is ever taken back.",
      ...assumed("rules"),
    },
    { rule: "The newest comes first.", ...assumed("aliases") },
  ],
});

export const dashboardOperation = defineOperation({
  id: "revenue.dashboard",
  summary: "Sum up claims, offers, litigation and revenue",
  method: "GET",
  path: "/v1/revenue/dashboard",
  label: documented("§4 Broker alias map: read"),
  auth: "credential",
  response: { status: 200, label: assumedField, schema: dashboard },
  problems: [],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    {
      rule: "Everything is of the partner and the credential's environment. Advance, fee and payout are those of accepted offers.",
      ...assumed("rules"),
    },
    {
      rule: "The total is the ledger's last balance, and the sum of the fees above it.",
      ...assumed("rules"),
    },
  ],
});
