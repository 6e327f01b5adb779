import type { ClaimAmounts } from "../../src/domain/claims/amounts.ts";
import type { OfferTerms } from "../../src/domain/claims/offer.ts";
import type { ClaimState, OfferState } from "../../src/domain/claims/states.ts";
import type { ReviewOutcome } from "../../src/domain/diligence/rf8-review.ts";
import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import { defineTable, type RowOf } from "./table.ts";

export const CLAIMS = defineTable(
  "main.claim",
  {
    ...sql.record,
    clientId: sql.references("client (id)", sql.text),
    clientName: sql.expression<string>("(SELECT name FROM client WHERE client.id = client_id)"),
    jobId: sql.references("job (id)", sql.unique(sql.text)),
    status: sql.withDefault("open", sql.textOf<ClaimState>()),
    reviewOutcome: sql.textOf<ReviewOutcome>(),
    entryCount: sql.integer,
    ...each(() => sql.integer, "ieepaDutyCents", "interestCents", "estimatedClaimCents", "litigationCents"),
    byGrade: sql.json<ClaimAmounts["byGrade"]>(),
    createdAt: sql.time,
    financedAt: sql.nullable(sql.time),
    enrolledAt: sql.nullable(sql.time),
  },
  { indexes: [["partner", "environment", "seq"]] },
);

export type ClaimRow = RowOf<typeof CLAIMS>;

export const OFFERS = defineTable(
  "main.offer",
  {
    ...sql.record,
    claimId: sql.references("claim (id)", sql.text),
    status: sql.textOf<OfferState>(),
    advanceCents: sql.integer,
    feeCents: sql.integer,
    payoutCents: sql.expression<number>("advance_cents - fee_cents"),
    byGrade: sql.json<OfferTerms["byGrade"]>(),
    createdAt: sql.time,
  },
  { indexes: [["partner", "environment", "seq"]] },
);

export type NewOffer = Omit<RowOf<typeof OFFERS>, keyof Caller | "seq">;

export const ENROLLED_CLAIMS = defineTable(
  "main.enrolled_claim",
  {
    claimId: sql.references("claim (id)", sql.text),
    ...sql.owner,
    /** Claims that were enrolled together share it. */
    enrollmentId: sql.text,
    litigationCents: sql.integer,
    feeCents: sql.integer,
    createdAt: sql.time,
  },
  { key: ["claimId"] },
);
