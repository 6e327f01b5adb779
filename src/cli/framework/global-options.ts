import type { OptionSpecs, OptionValues } from "./command.ts";
import { parseDurationFlag } from "./duration.ts";

/** What every command takes. */
export const JSON_OPTIONS = {
  json: { help: "print JSON: the service's own answer where there is one" },
} as const satisfies OptionSpecs;

export const COLOUR_OPTIONS = {
  color: { help: "force colour" },
  "no-color": { help: "no colour" },
} as const satisfies OptionSpecs;

/** What a command with an answer takes beside that. */
export const OUT_OPTIONS = {
  out: { value: "file", help: "write the answer to a file, whole or not at all" },
} as const satisfies OptionSpecs;

/** What a command takes whose answer has fields. */
export const FIELDS_OPTIONS = {
  fields: {
    value: "names",
    parse: (text: string): readonly string[] => text.split(",").map((name) => name.trim()),
    help: "only these fields, comma-separated; a dot reaches inside, as in rf8Review.outcome",
  },
} as const satisfies OptionSpecs;

/** What a command takes whose answer goes by an id, or is a list of such. */
export const QUIET_OPTIONS = {
  quiet: { short: "q", help: "print ids only" },
} as const satisfies OptionSpecs;

/** What a command takes whose answer is a list. */
export const LIST_OPTIONS = {
  ndjson: { help: "print JSON, one item a line" },
  csv: { help: "print CSV with a header" },
} as const satisfies OptionSpecs;

/** Where the service is and as whom to speak to it. */
export const SERVICE_OPTIONS = {
  profile: { value: "profile", help: "a stored base URL, environment and credential (CLAIMS_PROFILE)" },
  baseUrl: { value: "url", help: "where the service is (CLAIMS_BASE_URL)" },
  environment: {
    value: "name",
    choices: ["sandbox", "production"],
    help: "which environment the credential is for (CLAIMS_ENVIRONMENT)",
  },
  dotenv: { value: "file", help: "read CLAIMS_* and proxy variables from a file first" },
  sandbox: { help: "use a sandbox that lives for this command only" },
  caFile: { value: "file", help: "certificate authority to trust, PEM" },
  dryRun: { help: "print the request instead of sending it" },
  print: {
    value: "form",
    choices: ["curl"],
    help: "print the request as a curl command instead of sending it",
  },
  verbose: { short: "v", help: "log requests to stderr, without secrets" },
} as const satisfies OptionSpecs;

export const JOB_TIMEOUT_OPTIONS = {
  timeout: { value: "duration", parse: parseDurationFlag, help: "how long to wait: 90s, 15m (15m)" },
} as const satisfies OptionSpecs;

/** The same flag where there is nothing to wait for but the answer. */
export const REQUEST_TIMEOUT_OPTIONS = {
  timeout: { value: "duration", parse: parseDurationFlag, help: "how long one request may take (60s)" },
} as const satisfies OptionSpecs;

export const CONFIRM_OPTIONS = {
  yes: { help: "do not ask before writing to production" },
} as const satisfies OptionSpecs;

/** What a command takes that may ask. */
export const PROMPT_OPTIONS = {
  noInput: { help: "never ask (CLAIMS_NO_INPUT)" },
} as const satisfies OptionSpecs;

/** The options that mean the same wherever they are taken; which command takes which is decided in `command-options.ts`. */
export type GlobalOptions = OptionValues<
  typeof JSON_OPTIONS &
    typeof COLOUR_OPTIONS &
    typeof OUT_OPTIONS &
    typeof FIELDS_OPTIONS &
    typeof QUIET_OPTIONS &
    typeof LIST_OPTIONS &
    typeof SERVICE_OPTIONS &
    typeof JOB_TIMEOUT_OPTIONS &
    typeof CONFIRM_OPTIONS &
    typeof PROMPT_OPTIONS
>;
