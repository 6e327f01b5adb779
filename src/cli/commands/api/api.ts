import { type ArgumentSpec, command, type Invocation } from "../../framework/command.ts";
import type { OptionSpecs } from "../../framework/options.ts";
import { METHODS, parseHeader } from "../../framework/values.ts";
import { resendOptions } from "../../write-log/write-options.ts";
import { parseField } from "./body-fields.ts";

const apiArguments = [
  { name: "method", help: METHODS.join(", ") },
  { name: "path", help: "path and query, as in /v1/docs/openapi" },
] as const satisfies readonly ArgumentSpec[];

const CREDENTIAL_REASON = "every request has your credential; `claims auth status` shows it";

const REFUSAL_REASONS: ReadonlyMap<string, string> = new Map([
  ["authorization", CREDENTIAL_REASON],
  ["content-length", "it is computed"],
  ["cookie", CREDENTIAL_REASON],
  ["host", "name the service with --base-url"],
  ["x-api-key", CREDENTIAL_REASON],
]);

const apiOptions = {
  header: {
    short: "H",
    value: "header",
    parse: (text) => parseHeader(text, "-H", REFUSAL_REASONS),
    repeats: true,
    help: "'Name: value'",
  },
  rawField: {
    short: "f",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "text field of the JSON body, or of the query of a GET; key[]= makes a list",
  },
  typedField: {
    short: "F",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "the same for true, false, null, a whole number, or @file for the text of a file",
  },
  input: { value: "file", help: "file to use as the body, - for stdin; JSON unless -H says otherwise" },
  paginate: { help: "follow the links to further pages; print one page a line" },
  ...resendOptions,
} as const satisfies OptionSpecs;

export type ApiInvocation = Invocation<typeof apiOptions, typeof apiArguments>;

export const api = command({
  name: "api",
  summary: "send any request with your credential and print the response",
  remote: "writes",
  output: "bytes",
  arguments: apiArguments,
  options: apiOptions,
  examples: [
    "claims api GET /v1/docs/openapi",
    "claims api GET /v1/webhook-deliveries -f limit=200 --paginate | jq -r '.data[].id'",
    "claims api POST /v1/litigation/enroll -f claimIds[]=9e02… -f claimIds[]=4b1f…",
  ],
  run: async (context, call) => (await import("./run.ts")).runApi(context, call),
});
