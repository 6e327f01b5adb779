import { isRecord } from "../../../domain/json.ts";
import type { Block } from "../../output/output.ts";
import { toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { getCommand } from "../../records/record-commands.ts";

export const status = getCommand({
  name: "status",
  summary: "show the status of a claim and its history",
  noun: "claim",
  operation: ({ claims }) => claims.status,
  hasAlias: false,
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
