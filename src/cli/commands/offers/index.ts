import { OFFER_STATES } from "../../../domain/claims/states.ts";
import { createMoneyColumn, toGradedBlocks } from "../../output/record-card.ts";
import { defineCreateCommand, defineListCommand } from "../../records/record-commands.ts";

const list = defineListCommand({
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
  ],
  emptyMessage: "no offers yet; `claims offers create --claim ID` requests one",
  examples: ["claims offers list", "claims offers list --status accepted --all --csv"],
});

const create = defineCreateCommand({
  summary: "request a financing offer on a claim; the service accepts or declines it immediately",
  noun: "offer",
  operation: ({ offers }) => offers.create,
  fields: { claim: { value: "claim", field: "claimId", help: "id of an open claim" } },
  blocks: (offer, id) => toGradedBlocks("offer", `Offer ${id ?? ""}`, offer),
  examples: [
    "claims offers create --claim 9e02…",
    "claims offers create --claim 9e02… --json | jq '[.status, .advanceCents]'",
  ],
});

export const commands = [list, create];
