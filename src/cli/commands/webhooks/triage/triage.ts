import { usageError } from "../../../../domain/errors.ts";
import { FIELD_NAMES } from "../../../../domain/webhooks/input-formats/find-deliveries.ts";
import { command } from "../../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { reportFileParser } from "../../../framework/report-file.ts";
import { secretOptions } from "../options.ts";
import { verifyOptions } from "../verify/verify.ts";

const { candidate, secretPrefix } = verifyOptions;

const triageOptions = {
  field: {
    value: "name=path",
    repeats: true,
    parse: parseField,
    help: `where a JSON log has a field, such as body=.req.rawBody; names: ${FIELD_NAMES.join(", ")}; may repeat`,
  },
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

/** `body=.req.rawBody`; jq writes a dot before a path, and JavaScript does not. */
function parseField(text: string) {
  const [, word = "", path = ""] = /^(\w+)=\.?([^=]+)$/.exec(text) ?? [];
  const name = FIELD_NAMES.find((each) => each === word);
  if (name) return { name, path };
  throw usageError("option_invalid", `--field takes a name, =, and a path, not "${text}"`, {
    hint: `the names are ${FIELD_NAMES.join(", ")}; for example body=.req.rawBody`,
  });
}

export const triage = command({
  name: "triage",
  prints: "TriageReport",
  summary: "verify many logged deliveries offline, and group them by cause",
  output: "list",
  arguments: [
    {
      name: "files",
      help: "logs of any form, raw requests, HARs, events of a cloud, captures, or archives and folders of them; - for stdin",
      isVariadic: true,
    },
  ],
  options: triageOptions,
  examples: [
    "claims webhooks triage ./deliveries --secret-file secret.txt",
    "claims webhooks triage app.log --field body=.req.rawBody --field headers=.req.headers --field time=.time --secret-file secret.txt",
    "claims webhooks triage recorded.har --secret-file secret.txt --candidate older=old-secret.txt --report for-the-partner.md",
    "claims webhooks triage - --secret-file secret.txt --ndjson < app.log",
  ],
  run: async (context, { args, options, global }) =>
    (await import("./run.ts")).runTriage(context, args.files, options, global),
});
