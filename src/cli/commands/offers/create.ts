import { toGradedBlocks } from "../../output/record-card.ts";
import { createCommand } from "../../records/record-commands.ts";

export const create = createCommand({
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
