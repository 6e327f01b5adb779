import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import { type Explanation, explain } from "../../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER, headerValues, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import { sign } from "../../../../domain/webhooks/signature.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import type { OptionValues } from "../../../framework/options.ts";
import type { RecordOutput } from "../../../output/output.ts";
import { type CaseFinding, renderCaseFile } from "../input-formats/case-file.ts";
import type { ReceivedDelivery } from "../input-formats/delivery.ts";
import { type DeliveryInput, readDelivery } from "../input-formats/input-formats.ts";
import { readCandidateSecrets, readSecrets, requireSecrets } from "../signing-secrets.ts";
import { refuseStdinConflict } from "../stdin-conflict.ts";
import { renderFinding, renderVerdict } from "./verdict-view.ts";
import type { verifyOptions } from "./verify.ts";

type VerifyOptions = OptionValues<typeof verifyOptions>;

/**
 * Judges the delivery that the options describe, and says why where it is not valid.
 *
 * @param readFromSandbox asks for a delivery by its id
 */
export async function runVerify(
  context: Context,
  options: VerifyOptions,
  readFromSandbox: (id: string) => Promise<ReceivedDelivery>,
): Promise<RecordOutput> {
  const { body, headers, request, har, curl, event, secretFile = [], secretStdin } = options;
  refuseStdinConflict([body, headers, request, har, curl, event, options.case, ...secretFile], secretStdin);
  const input = await readDelivery(context, options, readFromSandbox);
  const secrets = await readVerifySecrets(context, options, input);
  if (secrets.length === 0 && input.caseFile) return renderUnverifiedCase(input.caseFile.finding);
  const { delivery } = input;
  const explanation = explain({
    secrets,
    headers: delivery.headers,
    body: delivery.body,
    now: options.at ?? context.now(),
    toleranceSeconds: options.tolerance === undefined ? undefined : options.tolerance / 1000,
    candidateSecrets: await readCandidateSecrets(context, options.suspect ?? []),
    secretPrefix: options.secretPrefix ?? delivery.secretPrefix,
  });
  if (options.caseFile !== undefined) {
    // For its owner alone until they send it: there is no secret in it, but a partner's data.
    const text = renderCaseFile(delivery, secrets, explanation);
    await writeFileAtomically(resolve(context.cwd, options.caseFile), [text], {
      mode: 0o600,
      signal: context.signal,
    });
  }
  return renderResult(explanation, input, secrets, options.showExpected ?? false);
}

async function readVerifySecrets(
  context: Context,
  options: VerifyOptions,
  { caseFile }: DeliveryInput,
): Promise<readonly string[]> {
  const given = caseFile ? await readSecrets(context, options) : await requireSecrets(context, options);
  return given.map(({ secret }) => secret);
}

/** A case without a secret to hold it against: what its writer found, which is no verification. */
const renderUnverifiedCase = (finding: CaseFinding): RecordOutput => ({
  kind: "record",
  json: { verdict: null, causes: [], tried: 0, case: finding },
  blocks: [renderFinding(finding)],
  failure: new ClaimsError(
    "verification",
    "not_verified",
    "there is no secret, so nothing was verified here",
    {
      hint: "give --secret-file with the signingSecret of the endpoint",
    },
  ),
});

function renderResult(
  explanation: Explanation,
  { delivery: { headers, body }, caseFile }: DeliveryInput,
  secrets: readonly string[],
  showExpected: boolean,
): RecordOutput {
  const { verdict, reason, causes, tried, complete, failure, ageSeconds, secretIndex } = explanation;
  const fingerprints = secrets.map(fingerprint);
  const [timestamp = ""] = headerValues(headers, TIMESTAMP_HEADER);
  const expected = showExpected
    ? secrets.map((secret) => ({
        fingerprint: fingerprint(secret),
        signature: sign({ secret, timestamp, body }),
      }))
    : [];
  const signedBy = secretIndex === null ? null : (fingerprints[secretIndex] ?? null);
  const event =
    verdict === "valid" || verdict === "stale" ? (headerValues(headers, EVENT_HEADER)[0] ?? null) : null;
  const finding = caseFile?.finding ?? null;
  return {
    kind: "record",
    json: {
      ...{ verdict, reason, causes, tried, complete, ageSeconds, event, signedBy, fingerprints },
      ...(failure !== null && { failure }),
      ...(showExpected && { expected }),
      ...(finding && { case: finding }),
    },
    id: verdict,
    blocks: renderVerdict(explanation, { signedBy, fingerprints, event, expected, finding }),
    failure: verdict === "valid" ? undefined : verificationError(explanation),
  };
}

function verificationError({ verdict, reason, causes }: Explanation): ClaimsError {
  const [first] = causes;
  return new ClaimsError("verification", `signature_${verdict}`, reason, {
    hint: first?.fix ?? VERDICT_HINTS[verdict],
  });
}

const VERDICT_HINTS: Readonly<Record<Explanation["verdict"], string>> = {
  valid: "",
  stale: "a delivery that is sent again has a new timestamp; compare the clocks of both sides",
  mismatch: "unexplained: compare the secret by its fingerprint, and keep the raw bytes of a delivery",
  missing_header: "keep the headers as they come",
  malformed: "keep the headers as they come",
};
