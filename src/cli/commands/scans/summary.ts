import { getCommand } from "../../records/record-commands.ts";
import { summaryBlocks } from "./scan-blocks.ts";

export const summary = getCommand({
  name: "summary",
  summary: "show the totals of a portfolio scan, with the number of changes",
  noun: "the summary of scan",
  operation: ({ scans }) => scans.summary,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: summaryBlocks,
  examples: ["claims scans summary 3c0e…", "claims scans summary 3c0e… --fields totals.estimatedClaimCents"],
});
