import { ClaimsError } from "../../../../domain/errors.ts";
import { isEventName } from "../../../../domain/webhooks/event-types.ts";
import { command } from "../../../framework/command.ts";
import type { OptionSpecs } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { secretProfile, singleSecretOptions } from "../options.ts";

export const probeOptions = {
  ...singleSecretOptions,
  ...secretProfile,
  event: {
    value: "event",
    parse: parseEventName,
    help: "the event that the deliveries carry (partner.test)",
  },
  header: {
    value: "header",
    repeats: true,
    help: "one more header, as in 'X-Tenant: 7', or @file with one a line, for what is secret; may repeat",
  },
  only: {
    value: "case",
    repeats: true,
    help: "only this case, or all of a kind, as in raw or forged.truncated; may repeat",
  },
  timeout: { value: "duration", parse: parseDurationFlag, help: "how long one answer may take (15s)" },
  caFile: { value: "file", help: "certificate authority to trust, PEM" },
  dryRun: { help: "list the cases instead of sending them" },
} as const satisfies OptionSpecs;

export const probe = command({
  name: "probe",
  summary: "put a receiver of your own to the rules: what it must accept, and what it must refuse",
  remote: false,
  output: "record",
  arguments: [
    { name: "url", help: "where the receiver is; nothing else is asked, and no redirect followed" },
  ],
  options: probeOptions,
  examples: [
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt",
    "claims webhooks probe https://partner.example/hook --secret-file secret.txt --header @headers.txt --json",
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt --only raw --only forged.body_only",
    "claims webhooks probe http://127.0.0.1:3000/hook --dry-run",
  ],
  async run(context, { args: { url }, options }) {
    const { runProbe } = await import("../traffic.ts");
    return runProbe(context, url, options);
  },
});

function parseEventName(text: string): string {
  if (isEventName(text)) return text;
  throw new ClaimsError("usage", "invalid_event", `"${text}" is no name of an event`, {
    hint: "write it as partner.test: lower-case words with full stops between them",
  });
}
