import { command } from "../../command.ts";
import { createRecord, createRecordOptions } from "../../create-record.ts";
import { buildRequestBody } from "../../json-body.ts";
import { toGradedBlocks } from "../../record-card.ts";

export const create = command({
  name: "create",
  summary: "ask for financing of a claim; the offer is accepted or declined at once",
  remote: "writes",
  output: "record",
  options: {
    claim: { value: "claim", help: "on what: the id of an open claim" },
    ...createRecordOptions,
  },
  examples: [
    "claims offers create --claim 9e02…",
    "claims offers create --claim 9e02… --json | jq '[.status, .advanceCents]'",
  ],
  async run(context, call) {
    return createRecord(context, call, {
      what: "offer",
      operation: ({ offers }) => offers.create,
      json: await buildRequestBody(context, { claimId: call.options.claim }, call.options),
      blocks: (offer, id) => toGradedBlocks(`Offer ${id ?? ""}`, offer),
    });
  },
});
