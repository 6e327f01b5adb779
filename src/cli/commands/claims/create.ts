import { command } from "../../command.ts";
import { createOptions, createRecord } from "../../create-record.ts";
import { bodyOf } from "../../json-body.ts";
import { gradedBlocks } from "../../record-card.ts";

export const create = command({
  name: "create",
  summary: "make the claim of a completed diligence job, for a client",
  remote: "writes",
  answers: "record",
  options: {
    client: { value: "client", help: "for whom: the id of a client" },
    job: { value: "job", help: "from what: the id of a completed job" },
    ...createOptions,
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
      json: await bodyOf(context, { clientId, jobId }, call.options),
      blocks: (claim, id) => gradedBlocks(`Claim ${id ?? ""}`, claim),
    });
  },
});
