import { ClaimsError } from "../../../domain/errors.ts";
import type { CandidateSecret } from "../../../domain/webhooks/explain/secret-variants.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../framework/options.ts";
import { parseInteger } from "../../framework/values.ts";

/** How signing secrets are handed over. A secret is never the value of a flag: `ps` shows those. */
export const secretOptions = {
  secretFile: {
    value: "file",
    repeats: true,
    help: "a file that holds the signing secret and nothing else; may repeat (CLAIMS_WEBHOOK_SECRET_FILE)",
  },
  secretStdin: { help: "read the signing secret from stdin" },
} as const satisfies OptionSpecs;

/** The same for what is signed with one. */
export const singleSecretOptions = {
  ...secretOptions,
  secretFile: {
    ...secretOptions.secretFile,
    help: "a file that holds the signing secret and nothing else (CLAIMS_WEBHOOK_SECRET_FILE)",
  },
} as const satisfies OptionSpecs;

/** Where the signing secret is that nothing else says, for a command that takes no profile otherwise. */
export const secretProfile = {
  profile: {
    ...SERVICE_OPTIONS.profile,
    help: "the profile whose signing secret to use where nothing else has one (CLAIMS_PROFILE)",
  },
} as const satisfies OptionSpecs;

export type SecretOptions = OptionValues<typeof secretOptions> & {
  readonly dotenv?: string | undefined;
  readonly profile?: string | undefined;
};

/** The forms in which people have a delivery. */
export const deliveryInputOptions = {
  body: { value: "file", help: "the raw body; with --headers, or with --timestamp and --signature" },
  timestamp: { value: "time", help: "the value of X-Service-Timestamp, exactly" },
  signature: { value: "hex", help: "the value of X-Service-Signature" },
  headers: { value: "file", help: "the headers, a line each or as a JSON object" },
  request: { value: "file", help: "a raw HTTP request: headers, an empty line, the body" },
  har: { value: "file", help: "a HAR, as browsers and proxies save it" },
  entry: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "an entry", min: 1, max: 1_000_000 }),
    help: "which entry of the HAR, counted from 1",
  },
  curl: { value: "file", help: "a curl command line, as people paste it" },
  event: { value: "file", help: "the event that a Lambda function got from API Gateway" },
  case: { value: "file", help: "a case file that somebody made with --case-file" },
  delivery: { value: "delivery", help: "a delivery of the local sandbox, by its id" },
  attempt: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "an attempt", min: 1, max: 1_000_000 }),
    help: "which attempt of the delivery, counted from 1 (the last one)",
  },
} as const satisfies OptionSpecs;

export type DeliveryInputOptions = OptionValues<typeof deliveryInputOptions>;

const CANDIDATE_KINDS = {
  "api-key": "api_key",
  "client-secret": "client_secret",
  "other-endpoint": "other_endpoint",
  "other-environment": "other_environment",
  older: "older",
} as const satisfies Record<string, CandidateSecret["kind"]>;

/** What a suspected secret is said to be, and the file that holds it. */
export interface CandidateSecretFile {
  readonly kind: CandidateSecret["kind"];
  readonly file: string;
}

/** @throws ClaimsError `usage` */
export function parseCandidateSecret(text: string): CandidateSecretFile {
  const [, kind = "", file = ""] = /^([a-z-]+)=(.+)$/s.exec(text) ?? [];
  const as = Object.hasOwn(CANDIDATE_KINDS, kind)
    ? CANDIDATE_KINDS[kind as keyof typeof CANDIDATE_KINDS]
    : undefined;
  if (as) return { kind: as, file };
  // What was typed is not shown: it may be the secret itself.
  throw new ClaimsError("usage", "invalid_suspect", "--suspect takes a kind, =, and the name of a file", {
    hint: `the kinds are ${Object.keys(CANDIDATE_KINDS).join(", ")}, as in older=old-secret.txt`,
  });
}

/** A longer one may be the secret itself, which is never the value of a flag; the service's own has 12 characters. */
const MAX_PREFIX_LENGTH = 16;

/** @throws ClaimsError `usage` */
export function parseSecretPrefix(text: string): string {
  if (text.length > 0 && text.length <= MAX_PREFIX_LENGTH) return text;
  throw new ClaimsError(
    "usage",
    "invalid_prefix",
    `a secretPrefix has at most ${MAX_PREFIX_LENGTH} characters`,
    {
      hint: "copy it from the list of endpoints; a secret goes into --secret-file",
    },
  );
}
