import { command } from "../../framework/command.ts";
import { toGradedBlocks } from "../../output/record-card.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import { buildRequestBody } from "../../records/request-body.ts";

export const create = command({
  name: "create",
  summary: "make the claim of a completed diligence job, for a client",
  remote: "writes",
  output: "record",
  options: {
    client: { value: "client", help: "for whom: the id of a client" },
    job: { value: "job", help: "from what: the id of a completed job" },
    ...createRecordOptions,
  },
  examples: [
    "claims claims create --client 4b1f… --job 7d9c…",
    'claims claims create --client "$CLIENT" --job "$(claims diligence submit entries.csv --seller-name Acme --wait -q)" -q',
  ],
  async run(context, call) {
    const { client: clientId, job: jobId } = call.options;
    return createRecord(context, call, {
      what: "claim",
      operation: ({ claims }) => claims.create,
      json: await buildRequestBody(context, { clientId, jobId }, call.options),
      blocks: (claim, id) => toGradedBlocks(`Claim ${id ?? ""}`, claim),
    });
  },
});
