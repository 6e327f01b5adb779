import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../answer.ts";
import { command } from "../../command.ts";
import type { Block } from "../../output/output.ts";
import type { ServiceRecord } from "../../paged-list.ts";
import { toRecordCard } from "../../record-card.ts";
import { openService } from "../../service.ts";

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
