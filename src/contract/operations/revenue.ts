import type { Static } from "typebox";
import * as Type from "typebox";
import { REVENUE_TYPES } from "../../domain/claims/states.ts";
import { each } from "../../domain/each.ts";
import { assumed, IN_ALIAS_MAP, rules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

const revenueType = () => Type.Enum([...REVENUE_TYPES]);

export const ledgerEntry = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  type: revenueType(),
  claimId: s.uuid(),
  offerId: s.nullable(s.uuid()),
  enrollmentId: s.nullable(s.uuid()),
  currency: s.currency(),
  amountCents: s.cents(),
  balanceCents: Type.Integer({ minimum: 0, description: "All revenue up to this entry; integer US cents" }),
  createdAt: s.dateTime(),
});

const claimFigures = s.labelledObject(resourcesBasis, { count: s.count(), estimatedClaimCents: s.cents() });

export const dashboard = s.labelledObject(resourcesBasis, {
  environment: s.environment(),
  asOf: s.dateTime(),
  currency: s.currency(),
  claims: s.labelledObject(resourcesBasis, {
    count: s.count(),
    estimatedClaimCents: s.cents(),
    byStatus: s.labelledObject(resourcesBasis, {
      open: claimFigures,
      financed: claimFigures,
      in_litigation: claimFigures,
    }),
  }),
  offers: s.labelledObject(resourcesBasis, {
    accepted: s.count(),
    declined: s.count(),
    ...each(s.cents, "advanceCents", "feeCents", "payoutCents"),
  }),
  litigation: s.labelledObject(resourcesBasis, {
    claims: s.count(),
    litigationCents: s.cents(),
    feeCents: s.cents(),
  }),
  revenue: s.labelledObject(resourcesBasis, {
    entries: s.count(),
    ...each(s.cents, "originationFeeCents", "litigationFeeCents", "totalCents"),
  }),
});

export type Dashboard = Static<typeof dashboard>;

export const ledger = defineOperation({
  id: "revenue.ledger",
  summary: "List the revenue, entry by entry",
  method: "GET",
  path: "/v1/revenue/ledger",
  ...IN_ALIAS_MAP,
  ...s.definePagedListOperation("aliases", resourcesBasis, ledgerEntry, {
    claimId: Type.Optional(s.idReference("claim")),
    type: Type.Optional(revenueType()),
  }),
  behaviours: [
    ...rules(
      assumed("rules"),
      "An accepted offer and every claim enrolled in litigation earn their fee, in one entry each; no entry is reversed.",
    ),
    ...rules(assumed("aliases"), "The newest entry comes first."),
  ],
});

export const dashboardOperation = defineOperation({
  id: "revenue.dashboard",
  summary: "Sum up claims, offers, litigation and revenue",
  method: "GET",
  path: "/v1/revenue/dashboard",
  ...IN_ALIAS_MAP,
  response: { status: 200, label: resourcesBasis, schema: dashboard },
  behaviours: rules(
    assumed("rules"),
    "All figures are of the partner and the credential's environment. Advance, fee and payout are those of accepted offers.",
    "The total is the ledger's last balance, and the sum of the fees above it.",
  ),
});
