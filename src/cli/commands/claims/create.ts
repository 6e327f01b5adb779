import { toGradedBlocks } from "../../output/record-card.ts";
import { createCommand } from "../../records/record-commands.ts";

export const create = createCommand({
  summary: "create the claim of a completed diligence job for a client",
  noun: "claim",
  operation: ({ claims }) => claims.create,
  fields: {
    client: { value: "client", field: "clientId", help: "client id" },
    job: { value: "job", field: "jobId", help: "id of a completed diligence job" },
  },
  blocks: (claim, id) => toGradedBlocks("claim", `Claim ${id ?? ""}`, claim),
  examples: [
    "claims claims create --client 4b1f… --job 7d9c…",
    'claims claims create --client "$CLIENT" --job "$(claims diligence submit entries.csv --seller-name Acme --wait -q)" -q',
  ],
});
