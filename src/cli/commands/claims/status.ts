import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import type { Block } from "../../output/output.ts";
import { toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";

export const status = command({
  name: "status",
  summary: "show the status of a claim, and how it came to it",
  remote: "reads",
  output: "record",
  arguments: [{ name: "claim", help: "the id of a claim" }],
  options: {},
  examples: ["claims claims status 9e02…", "claims claims status 9e02… --json | jq -r .status"],
  async run(context, call) {
    const { claim: claimId } = call.args;
    const { client, operations } = await openService(context, call);
    const answer = await client.send(operations.claims.status, { query: { claimId } });
    const told = parseJsonResponse(answer, `claim ${claimId}`);
    return {
      kind: "record",
      json: answer.body,
      id: claimId,
      blocks: isRecord(told) ? claimBlocks(told) : [],
    };
  },
});

function claimBlocks({ history, ...record }: ServiceRecord): readonly Block[] {
  const steps = Array.isArray(history) ? history.filter(isRecord) : [];
  const rows = steps.map(({ status: state, at }) => [String(state), String(at)] as const);
  return [
    toRecordCard(record),
    ...(rows.length > 0 ? [{ kind: "card", title: "History", rows } as const] : []),
  ];
}
