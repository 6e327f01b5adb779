import { CLAIM_STATES } from "../../../domain/claims/states.ts";
import { hiddenColumns } from "../../output/output.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { listCommand } from "../../records/record-commands.ts";

export const list = listCommand({
  summary: "list claims, newest first",
  noun: "claims",
  operation: ({ claims }) => claims.list,
  filters: {
    client: { value: "client", field: "clientId", help: "filter by client id" },
    job: { value: "job", field: "jobId", help: "filter by diligence job id" },
    status: { value: "status", choices: CLAIM_STATES, help: "filter by status" },
  },
  columns: [
    { name: "id", isId: true },
    { name: "status" },
    createMoneyColumn("estimatedClaimCents", "claim"),
    { name: "clientName", title: "client" },
    { name: "entryCount", title: "entries", align: "right" },
    ...hiddenColumns("currency", "clientId", "jobId", "createdAt"),
  ],
  emptyMessage: "no claims yet; `claims claims create --client ID --job ID` creates one",
  examples: [
    "claims claims list",
    "claims claims list --status open --all -q",
    "claims claims list --client 4b1f… --csv --fields id,jobId,estimatedClaimCents",
  ],
});
