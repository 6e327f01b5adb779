import { getCommand } from "../../records/record-commands.ts";
import { scanBlocks } from "./scan-blocks.ts";

export const get = getCommand({
  summary: "show a portfolio scan, with the changes that a delta scan found",
  noun: "scan",
  operation: ({ scans }) => scans.get,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: scanBlocks,
  examples: ["claims scans get 3c0e…", "claims scans get 3c0e… --json | jq -r .state"],
});
