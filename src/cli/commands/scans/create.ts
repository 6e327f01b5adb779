import { command } from "../../framework/command.ts";
import { requestScan, scanOptions } from "./request-scan.ts";

export const create = command({
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
