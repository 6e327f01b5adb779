import { ClaimsError } from "../../../../domain/errors.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { command } from "../../../framework/command.ts";
import { type OptionSpecs, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { readSandboxDelivery } from "../input-formats/sandbox-delivery.ts";
import {
  deliveryInputOptions,
  parseCandidateSecret,
  parseSecretPrefix,
  secretOptions,
  secretProfile,
} from "../options.ts";

const { baseUrl, dotenv } = SERVICE_OPTIONS;

export const verifyOptions = {
  ...deliveryInputOptions,
  baseUrl: { ...baseUrl, help: "with --delivery: where the sandbox is (CLAIMS_BASE_URL)" },
  dotenv,
  ...secretOptions,
  ...secretProfile,
  suspect: {
    value: "kind=file",
    repeats: true,
    parse: parseCandidateSecret,
    help: "a secret that may have been used in its place, as in older=old.txt; may repeat",
  },
  secretPrefix: {
    value: "prefix",
    parse: parseSecretPrefix,
    help: "the endpoint's secretPrefix, as the list of endpoints shows it",
  },
  at: { value: "time", parse: parseTime, help: "judge the age for this time, RFC 3339 or unix (now)" },
  tolerance: {
    value: "duration",
    parse: parseDurationFlag,
    help: "refuse a timestamp that is further from now: 5m (any age will do)",
  },
  showExpected: { help: "show the signature that each secret would make" },
  caseFile: { value: "file", help: "write the case without a secret to a file that can be sent on" },
} as const satisfies OptionSpecs;

export const verify = command({
  name: "verify",
  summary: "verify a delivery offline and, when its signature does not fit, name the cause",
  remote: false,
  output: "record",
  options: verifyOptions,
  examples: [
    "claims webhooks verify --body body.json --timestamp 1795132800 --signature 5c1f… --secret-file secret.txt",
    "claims webhooks verify --request request.txt --secret-file secret.txt --tolerance 5m",
    "claims webhooks verify --curl curl.txt --secret-file secret.txt --suspect older=old-secret.txt --case-file case.json",
    "claims webhooks verify --case case.json --secret-stdin < secret.txt",
    "claims webhooks verify --delivery 9c2a… --attempt 2 --secret-file secret.txt",
  ],
  async run(context, { global, options }) {
    const { runVerify: verifyDelivery } = await import("../lab.ts");
    return verifyDelivery(context, options, (id) =>
      readSandboxDelivery(context, global, id, options.attempt),
    );
  },
});

function parseTime(text: string): number {
  const time = parseTimestamp(text);
  if (time !== null) return time;
  throw new ClaimsError("usage", "invalid_time", `"${text}" is not a time`, {
    hint: "write it as 2026-11-20T00:00:00Z, or in unix seconds",
  });
}
