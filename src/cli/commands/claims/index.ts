import { CLAIM_STATES } from "../../../domain/claims/states.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Block } from "../../output/output.ts";
import { createMoneyColumn, toGradedBlocks, toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { defineCreateCommand, defineGetCommand, defineListCommand } from "../../records/record-commands.ts";

const list = defineListCommand({
  summary: "list claims, newest first",
  noun: "claims",
  operation: ({ claims }) => claims.list,
  filters: {
    client: { value: "client", field: "clientId", help: "filter by client id" },
    job: { value: "job", field: "jobId", help: "filter by a diligence job: its id" },
    status: { value: "status", choices: CLAIM_STATES, help: "filter by status" },
  },
  columns: [
    { name: "id", isId: true },
    { name: "status" },
    createMoneyColumn("estimatedClaimCents", "claim"),
    { name: "clientName", title: "client" },
    { name: "entryCount", title: "entries", align: "right" },
  ],
  emptyMessage: "no claims yet; `claims claims create --client ID --job ID` creates one",
  examples: [
    "claims claims list",
    "claims claims list --status open --all -q",
    "claims claims list --client 4b1f… --csv --fields id,jobId,estimatedClaimCents",
  ],
});

const create = defineCreateCommand({
  summary: "create the claim of a completed diligence job for a client",
  noun: "claim",
  operation: ({ claims }) => claims.create,
  fields: {
    client: { value: "client", field: "clientId", help: "client id" },
    job: { value: "job", field: "jobId", help: "the completed diligence job: its id" },
  },
  blocks: (claim, id) => toGradedBlocks("claim", `Claim ${id ?? ""}`, claim),
  examples: [
    "claims claims create --client 4b1f… --job 7d9c…",
    'claims claims create --client "$CLIENT" -q --job "$(claims diligence submit entries.csv --seller-name Acme --wait -q)"',
  ],
});

const status = defineGetCommand({
  name: "status",
  summary: "show the status of a claim and its history",
  noun: "claim",
  operation: ({ claims }) => claims.status,
  argument: { name: "claim", help: "claim id" },
  request: (claimId) => ({ query: { claimId } }),
  blocks: claimBlocks,
  examples: ["claims claims status 9e02…", "claims claims status 9e02… --json | jq -r .status"],
});

function claimBlocks({ history, ...record }: ServiceRecord): readonly Block[] {
  const steps = Array.isArray(history) ? history.filter(isRecord) : [];
  const rows = steps.map(({ status: state, at }) => [String(state), String(at)] as const);
  return [
    toRecordCard("claim", record),
    ...(rows.length > 0 ? [{ kind: "card", section: "history", title: "History", rows } as const] : []),
  ];
}

export const commands = [list, create, status];
