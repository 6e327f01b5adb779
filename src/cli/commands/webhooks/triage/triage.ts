import { command } from "../../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { reportFileParser } from "../../../framework/report-file.ts";
import { fieldOption, secretOptions } from "../options.ts";
import { verifyOptions } from "../verify/verify.ts";

const { candidate, secretPrefix } = verifyOptions;

const triageOptions = {
  field: fieldOption,
  ...secretOptions,
  candidate,
  secretPrefix,
  tolerance: {
    ...verifyOptions.tolerance,
    help: "reject a timestamp further from the logged time of receipt, such as 5m",
  },
  report: {
    value: "file",
    isOutput: true,
    repeats: true,
    parse: reportFileParser([".md", ".json"]),
    help: "write the result for the partner (.md) or for programs (.json); may repeat",
  },
} as const satisfies OptionSpecs;

export type TriageOptions = OptionValues<typeof triageOptions>;

export const triage = command({
  name: "triage",
  prints: "TriageReport",
  summary: "verify many logged deliveries offline, and group them by cause",
  output: "list",
  arguments: [
    {
      name: "files",
      help: "logs of any form, raw requests, HARs, events of a cloud, also with gzip, or folders of them; - for stdin",
      isVariadic: true,
    },
  ],
  options: triageOptions,
  examples: [
    "claims webhooks triage ./deliveries --secret-file secret.txt",
    "claims webhooks triage app.log --field body=.req.rawBody --field headers=.req.headers --field time=.time --secret-file secret.txt",
    "claims webhooks triage recorded.har --secret-file secret.txt --candidate older=old-secret.txt --report for-the-partner.md",
  ],
  run: async (context, { args, options, global }) =>
    (await import("./run.ts")).runTriage(context, args.files, options, global),
});
