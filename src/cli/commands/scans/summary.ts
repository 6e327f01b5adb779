import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { summaryBlocks } from "./scan-blocks.ts";

export const summary = command({
  name: "summary",
  summary: "show the totals of a portfolio scan, and how much is not as it was",
  remote: "reads",
  output: "record",
  arguments: [{ name: "scan", help: "its id" }],
  options: viaAliasOptions,
  examples: ["claims scans summary 3c0e…", "claims scans summary 3c0e… --fields totals.estimatedClaimCents"],
  async run(context, call) {
    const { scan: scanId } = call.args;
    const alias = await chooseAlias(context, "scans.summary", call.options);
    const { client, operations } = await openService(context, call);
    const answer = await client.send(operations.scans.summary, { params: { scanId }, alias });
    const told = parseJsonResponse(answer, `the summary of scan ${scanId}`);
    const blocks = isRecord(told) ? summaryBlocks(told, scanId) : [];
    return { kind: "record", json: answer.body, id: scanId, blocks };
  },
});
