import { command } from "../../framework/command.ts";
import { getCommand } from "../../records/record-commands.ts";
import { requestScan, scanOptions } from "./request-scan.ts";
import { scanBlocks, summaryBlocks } from "./scan-blocks.ts";

const create = command({
  name: "create",
  summary: "scan the portfolio: the entries of your completed diligence jobs",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ scans }) => scans.create,
  options: scanOptions,
  examples: [
    "claims scans create --wait",
    "claims scans create --job 7d9c… --job 51fe… -q",
    "claims scans create --input scan.json",
    "claims scans summary $(claims scans create --wait -q)",
  ],
  run: (context, call) => requestScan(context, call, { mode: "full" }),
});

const get = getCommand({
  summary: "show a portfolio scan, with the changes that a delta scan found",
  noun: "scan",
  operation: ({ scans }) => scans.get,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: scanBlocks,
  examples: ["claims scans get 3c0e…", "claims scans get 3c0e… --json | jq -r .state"],
});

const summary = getCommand({
  name: "summary",
  summary: "show the totals of a portfolio scan, with the number of changes",
  noun: "the summary of scan",
  operation: ({ scans }) => scans.summary,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: summaryBlocks,
  examples: ["claims scans summary 3c0e…", "claims scans summary 3c0e… --fields totals.estimatedClaimCents"],
});

const delta = command({
  name: "delta",
  summary: "scan the portfolio for changes since another scan",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ scans }) => scans.create,
  arguments: [
    {
      name: "scan",
      help: "id of the scan to compare with",
      default: "the one in the body",
      isOptional: true,
    },
  ],
  options: scanOptions,
  examples: [
    "claims scans delta 3c0e… --wait",
    "claims scans delta --input delta.json --via-alias",
    "claims scans delta 3c0e… --wait --json | jq '.changes.aged[].entryNumber'",
  ],
  run: (context, call) => requestScan(context, call, { mode: "delta", baselineScanId: call.args.scan }),
});

export const commands = [create, get, summary, delta];
