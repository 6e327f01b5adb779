import { usageError } from "../../../../domain/errors.ts";
import { isEventName } from "../../../../domain/webhooks/event-types.ts";
import { command } from "../../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { gateOptions } from "../../conformance/conformance.ts";
import { receiverCaOption, singleSecretOptions } from "../options.ts";

const probeOptions = {
  ...singleSecretOptions,
  event: { value: "event", parse: parseEventName, help: "event of the deliveries", default: "partner.test" },
  header: {
    value: "header",
    repeats: true,
    help: "add a header, such as 'X-Tenant: 7', or those of @file, one a line, if they hold a secret; may repeat",
  },
  only: {
    value: "case",
    repeats: true,
    help: "judge only this case or kind of cases, such as forged.truncated or raw; may repeat",
  },
  timeout: { value: "duration", parse: parseDurationFlag, help: "timeout of each response", default: "15s" },
  caFile: receiverCaOption,
  ...gateOptions,
  verbose: { short: "v", help: "show every rule, each failure and the responses" },
  dryRun: { help: "list the cases and send nothing" },
} as const satisfies OptionSpecs;

export type ProbeOptions = OptionValues<typeof probeOptions>;

function parseEventName(text: string): string {
  if (isEventName(text)) return text;
  throw usageError("option_invalid", `"${text}" is not an event name`, {
    hint: "write lower-case words with full stops between them, such as partner.test",
  });
}

export const probe = command({
  name: "probe",
  prints: "ProbeReport",
  summary: "send a receiver deliveries that it must accept or reject, and report which rules fail",
  output: "record",
  quietPrints: "the verdict",
  arguments: [{ name: "url", help: "URL of the receiver; redirects are not followed" }],
  options: probeOptions,
  examples: [
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt",
    "claims webhooks probe https://partner.example/hook --secret-file secret.txt --header @headers.txt --json",
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt --fail-on advice --report probe.xml",
  ],
  run: async (context, { args, options }) => (await import("./run.ts")).runProbe(context, args.url, options),
});
