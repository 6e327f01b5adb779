import { REVENUE_TYPES } from "../../../domain/claims/states.ts";
import { hiddenColumns } from "../../output/output.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { listCommand } from "../../records/record-commands.ts";

export const ledger = listCommand({
  name: "ledger",
  summary: "list revenue entries, newest first",
  noun: "ledger entries",
  operation: ({ revenue }) => revenue.ledger,
  filters: {
    claim: { value: "claim", field: "claimId", help: "filter by claim id" },
    type: { value: "type", choices: REVENUE_TYPES, help: "filter by type" },
  },
  columns: [
    { name: "createdAt", title: "at", display: ({ createdAt }) => String(createdAt ?? "").slice(0, 10) },
    { name: "type" },
    createMoneyColumn("amountCents", "amount"),
    createMoneyColumn("balanceCents", "balance"),
    { name: "claimId", title: "claim", isWhole: true },
    ...hiddenColumns("currency", "id", "offerId", "enrollmentId"),
  ],
  emptyMessage:
    "no revenue yet; `claims offers create --claim ID` and `claims litigation enroll ID` earn fees",
  examples: [
    "claims revenue ledger",
    "claims revenue ledger --all --csv --fields createdAt,type,amountCents,balanceCents",
  ],
});
