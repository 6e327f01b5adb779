import { usageError } from "../../../../domain/errors.ts";
import { FRAMEWORKS, type Framework } from "../../../../domain/webhooks/explain/raw-body-examples.ts";
import type { CandidateSecret } from "../../../../domain/webhooks/explain/secrets.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { command } from "../../../framework/command.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseDurationFlag, parseInteger, parseSecretFile } from "../../../framework/values.ts";
import { fieldOption, parseSecretPrefix, secretOptions } from "../options.ts";

const { baseUrl, dotenv, sandboxName } = SERVICE_OPTIONS;

export const verifyOptions = {
  body: { value: "file", help: "raw body, with the headers in other options" },
  timestamp: { value: "time", help: "exact value of X-Service-Timestamp" },
  signature: { value: "hex", help: "value of X-Service-Signature" },
  headers: { value: "file", help: "headers, one a line or as a JSON object" },
  entry: {
    value: "n",
    parse: (text: string) => parseInteger(text, { what: "an entry", min: 1, max: 1_000_000 }),
    help: "delivery of a file with several, counted from 1",
  },
  field: fieldOption,
  delivery: { value: "delivery", help: "id of a delivery of the local sandbox" },
  computed: {
    value: "hex",
    parse: parseComputed,
    help: "say what the receiver signed to get this signature",
  },
  baseUrl: {
    ...baseUrl,
    help: "with --delivery: URL of the sandbox",
    variable: "CLAIMS_BASE_URL",
  },
  dotenv,
  sandboxName: { ...sandboxName, help: "with --delivery: name of the sandbox" },
  ...secretOptions,
  candidate: {
    value: "kind=file",
    repeats: true,
    parse: parseCandidateSecret,
    help: "other secret, by kind: older, other-endpoint, other-environment, api-key, client-secret",
  },
  secretPrefix: {
    value: "prefix",
    parse: parseSecretPrefix,
    help: "secretPrefix of the endpoint, as lists show it",
  },
  at: {
    value: "time",
    parse: parseTime,
    help: "time to compute the age for",
    default: "now",
  },
  tolerance: {
    value: "duration",
    parse: parseDurationFlag,
    help: "reject a timestamp further from now, such as 5m",
    default: "any age",
  },
  framework: {
    value: "name",
    parse: parseFramework,
    help: "show how this framework gives the raw body",
  },
  verbose: {
    ...SERVICE_OPTIONS.verbose,
    help: "also show the bytes, remarks and frameworks",
  },
  showExpected: { help: "show the expected signature of each secret" },
  caseFile: {
    value: "file",
    isOutput: true,
    help: "write a case file without secrets, to send on",
  },
} as const satisfies OptionSpecs;

export type VerifyOptions = OptionValues<typeof verifyOptions>;

export type CandidateSecretFile = Pick<CandidateSecret, "kind"> & { readonly file: string };

const CANDIDATE_KINDS = ["api_key", "client_secret", "other_endpoint", "other_environment", "older"] as const;

function parseFramework(text: string): Framework {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");
  const found = FRAMEWORKS.find((name) => plain(name).startsWith(plain(text)) && text !== "");
  if (found) return found;
  throw usageError("option_invalid", `"${text}" is no framework of the list`, {
    hint: `the names are ${FRAMEWORKS.join(", ")}`,
  });
}

/** @throws ClaimsError `usage`, without the text, which can be the secret itself */
function parseCandidateSecret(text: string): CandidateSecretFile {
  const [, word = "", file = ""] = /^([a-z-]+)=(.+)$/s.exec(text) ?? [];
  const kind = CANDIDATE_KINDS.find((each) => each.replace("_", "-") === word);
  if (kind) return { kind, file: parseSecretFile(file, "--candidate") };
  throw usageError("option_invalid", "--candidate takes a kind, =, and the name of a file", {
    hint: `the kinds are ${CANDIDATE_KINDS.join(", ").replaceAll("_", "-")}; for example older=old-secret.txt`,
  });
}

/** @throws ClaimsError `usage`, without the text, which can be a secret */
function parseComputed(text: string): string {
  if (/^[\w+/=:-]{22,200}$/.test(text) && !text.startsWith("whsec_")) return text;
  throw usageError("option_invalid", "--computed takes a signature, in hex or base64", {
    hint: "print what your program compares with X-Service-Signature",
  });
}

function parseTime(text: string): number {
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw usageError("option_invalid", `"${text}" is not a time`, {
    hint: "write it as 2026-11-20T00:00:00Z, or in unix seconds",
  });
}

export const verify = command({
  name: "verify",
  prints: "SignatureVerdict",
  summary: "verify a delivery offline and, if its signature does not match, name the cause",
  output: "record",
  quietPrints: "the verdict",
  arguments: [
    {
      name: "file",
      isOptional: true,
      help: "request, HAR, log or other file with a delivery; - for stdin",
    },
  ],
  options: verifyOptions,
  examples: [
    "claims webhooks verify request.txt --secret-file secret.txt",
    "claims webhooks verify --body body.json --timestamp 1795132800 --signature 5c1f… --secret-file secret.txt",
    "claims webhooks verify request.txt --secret-file secret.txt --computed 5c1f09a2b1c3d4e5f60718293a4b5c6d7e8f9011a2b3c4d5e6f708192a3b4c5d",
  ],
  run: async (context, { args, options }) =>
    (await import("./run.ts")).runVerify(context, { ...options, file: args.file }),
});
