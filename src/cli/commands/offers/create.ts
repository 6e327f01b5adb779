import { command } from "../../framework/command.ts";
import { toGradedBlocks } from "../../output/record-card.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import { buildRequestBody } from "../../records/request-body.ts";

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
