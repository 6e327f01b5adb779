import { OFFER_STATES } from "../../../domain/claims/states.ts";
import { hiddenColumns } from "../../output/output.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { listCommand } from "../../records/record-commands.ts";

export const list = listCommand({
  summary: "list offers, newest first",
  noun: "offers",
  operation: ({ offers }) => offers.list,
  filters: {
    claim: { value: "claim", field: "claimId", help: "filter by claim id" },
    status: { value: "status", choices: OFFER_STATES, help: "filter by status" },
  },
  columns: [
    { name: "id", isId: true },
    { name: "status" },
    createMoneyColumn("advanceCents", "advance"),
    createMoneyColumn("payoutCents", "payout"),
    createMoneyColumn("feeCents", "fee"),
    ...hiddenColumns("currency", "claimId", "createdAt"),
  ],
  emptyMessage: "no offers yet; `claims offers create --claim ID` requests one",
  examples: ["claims offers list", "claims offers list --status accepted --all --csv"],
});
