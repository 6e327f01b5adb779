import type { OptionSpecs } from "../../framework/options.ts";
import { checkReportOption } from "../../framework/report-file.ts";

/** What decides the exit code of `conformance` and `webhooks probe`. */
export const gateOptions = {
  failOn: {
    value: "basis",
    choices: ["assumed", "advice"],
    help: "exit 7 for failed rules up to this basis too: assumed, or advice for all",
  },
  expected: {
    value: "file",
    help: "ids of rules that are expected to fail, one a line; a pass fails, and any other failure of any basis",
  },
  writeExpected: { value: "file", help: "write the ids of the rules that fail now, for --expected" },
  ...checkReportOption,
} as const satisfies OptionSpecs;
