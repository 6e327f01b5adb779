import { command } from "../../../framework/command.ts";
import { probeOptions } from "./options.ts";

export const probe = command({
  name: "probe",
  summary: "send a receiver deliveries that it must accept or reject, and report which rules fail",
  output: "record",
  quietPrints: "the verdict",
  arguments: [{ name: "url", help: "URL of the receiver; redirects are not followed" }],
  options: probeOptions,
  examples: [
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt",
    "claims webhooks probe https://partner.example/hook --secret-file secret.txt --header @headers.txt --json",
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt --only raw --only forged.body_only",
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file old.txt --secret-file new.txt --only sequence",
    "claims webhooks probe http://127.0.0.1:3000/hook --secret-file secret.txt --fail-on advice --report probe.xml",
    "claims webhooks probe http://127.0.0.1:3000/hook --dry-run",
  ],
  run: async (context, { args, options }) => (await import("./run.ts")).runProbe(context, args.url, options),
});
