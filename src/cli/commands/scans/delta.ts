import { command } from "../../framework/command.ts";
import { requestScan, scanOptions } from "./request-scan.ts";

export const delta = command({
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
