import { command } from "../../command.ts";
import { createOptions, createRecord } from "../../create-record.ts";
import { bodyOf } from "../../json-body.ts";
import { gradedBlocks } from "../../record-card.ts";

export const create = command({
  name: "create",
  summary: "ask for financing of a claim; the offer is accepted or declined at once",
  remote: "writes",
  answers: "record",
  options: {
    claim: { value: "claim", help: "on what: the id of an open claim" },
    ...createOptions,
  },
  examples: [
    "claims offers create --claim 9e02…",
    "claims offers create --claim 9e02… --json | jq '[.status, .advanceCents]'",
  ],
  async run(context, call) {
    return createRecord(context, call, {
      what: "offer",
      operation: ({ offers }) => offers.create,
      json: await bodyOf(context, { claimId: call.options.claim }, call.options),
      blocks: (offer, id) => gradedBlocks(`Offer ${id ?? ""}`, offer),
    });
  },
});
