import { resolve } from "node:path";
import { verificationError } from "../../../../domain/errors.ts";
import { type HeaderList, headerValues } from "../../../../domain/http-headers.ts";
import { compareDeliveries } from "../../../../domain/webhooks/compare-deliveries.ts";
import { type Explanation, explain } from "../../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import { sign, verify } from "../../../../domain/webhooks/signature.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { type Block, type RecordOutput, toTable } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { renderCaseFile } from "../input-formats/case-file.ts";
import { decompress } from "../input-formats/containers.ts";
import {
  type DeliveryInput,
  readDelivery,
  readDeliveryFile,
  readSandboxDelivery,
} from "../input-formats/input-formats.ts";
import { readCandidateSecrets, refuseStdinConflict, requireSecrets } from "../signing-secrets.ts";
import { renderVerdict, toVerdictRecord } from "./verdict-view.ts";
import type { VerifyOptions } from "./verify.ts";

export async function runVerify(
  context: Context,
  options: VerifyOptions & { readonly file: string | undefined },
): Promise<RecordOutput> {
  const { file, body, headers, secretFile = [], tolerance } = options;
  refuseStdinConflict([file, body, headers, ...secretFile]);
  const secrets = (await requireSecrets(context, options)).map(({ secret }) => secret);
  const input = await readDelivery(context, options, secrets);
  const { delivery } = input;
  const comparison =
    options.against === undefined ? null : await compareWithSent(context, options, input, secrets);
  const isComputed = options.computed !== undefined;
  const explanation = explain({
    secrets,
    headers: isComputed ? replaceSignature(delivery.headers, options.computed) : delivery.headers,
    body: delivery.body,
    isComputed,
    now: options.at ?? context.now(),
    toleranceSeconds: tolerance === undefined ? undefined : tolerance / 1000,
    decompress,
    candidateSecrets: await readCandidateSecrets(context, options.candidate ?? []),
    secretPrefix: options.secretPrefix ?? delivery.secretPrefix ?? comparison?.secretPrefix,
  });
  if (options.caseFile !== undefined) {
    const text = renderCaseFile(delivery, secrets, explanation);
    // Readable by its owner only: it holds no secret, but a partner's data.
    const settings = { mode: 0o600, signal: context.signal };
    await writeFileAtomically(resolve(context.cwd, options.caseFile), [text], settings);
  }
  const against = comparison?.result ?? null;
  const isOwnValid = isComputed && verify({ ...delivery, secrets }).verdict === "valid";
  if (isComputed && !isOwnValid) printMessage(context, WRONG_DELIVERY);
  else if (explanation.verdict === "valid") printMessage(context, isComputed ? RIGHT_SIGNATURE : NEXT_STEP);
  return renderResult(explanation, input, secrets, { showExpected: options.showExpected ?? false, against });
}

/** A right delivery that a receiver refuses is a fault of the receiver. */
const NEXT_STEP =
  "if a receiver refuses it, look at the receiver: `claims webhooks probe URL` sends it right and wrong deliveries; `claims webhooks verify FILE --computed HEX` says what it signed to get its own signature";

const WRONG_DELIVERY =
  "the delivery itself does not verify with this secret: `claims webhooks verify FILE` without --computed says why";
const RIGHT_SIGNATURE =
  "your receiver computed the right signature: look at how it compares it, and with which header";

/** A signature in base64, or in uppercase, stays as the receiver printed it. */
const replaceSignature = (headers: HeaderList, computed = ""): HeaderList => [
  ...headers.filter(([name]) => name.toLowerCase() !== SIGNATURE_HEADER.toLowerCase()),
  [SIGNATURE_HEADER, computed],
];

function renderResult(
  explanation: Explanation,
  { delivery: { headers, body }, caseFinding }: DeliveryInput,
  secrets: readonly string[],
  { showExpected, against }: { readonly showExpected: boolean; readonly against: SentComparison | null },
): RecordOutput {
  const { verdict, reason, causes, remarks, secretIndex } = explanation;
  const fingerprints = secrets.map(fingerprint);
  const isGenuine = verdict === "valid" || verdict === "stale";
  const [timestamp = ""] = headerValues(headers, TIMESTAMP_HEADER);
  const facts = {
    event: isGenuine ? (headerValues(headers, EVENT_HEADER)[0] ?? null) : null,
    signedBy: secretIndex === null ? null : (fingerprints[secretIndex] ?? null),
    fingerprints,
    ...(showExpected && {
      expected: secrets.map((secret) => ({
        fingerprint: fingerprint(secret),
        signature: sign({ secret, timestamp, body }),
      })),
    }),
  };
  return {
    kind: "record",
    json: {
      ...{ verdict, reason, causes, remarks },
      ...toVerdictRecord(explanation, facts),
      ...(caseFinding && { case: caseFinding }),
      ...(against && { against }),
    },
    id: verdict,
    blocks: [
      ...renderVerdict(explanation, facts, caseFinding),
      ...(against ? renderComparison(against) : []),
    ],
    failure:
      verdict === "valid"
        ? undefined
        : verificationError(`signature_${verdict}`, reason, { hint: causes[0]?.fix ?? HINTS[verdict] }),
  };
}

const HINTS = {
  stale: "a retried delivery has a new timestamp, so compare the clocks of both sides",
  mismatch:
    "no known cause fits: compare the secret by its fingerprint, and keep the raw bytes of a delivery",
  missing_header: "keep the headers unchanged",
  malformed: "keep the headers unchanged",
} as const;

/** What was sent, compared with what a receiver logged. */
type SentComparison = Awaited<ReturnType<typeof compareWithSent>>["result"];

async function compareWithSent(
  context: Context,
  options: VerifyOptions,
  { delivery: received }: DeliveryInput,
  secrets: readonly string[],
) {
  const { against: source = "" } = options;
  const [timestamp = null] = headerValues(received.headers, TIMESTAMP_HEADER);
  const sent = isFileName(source)
    ? { ...(await readDeliveryFile(context, source, secrets)).delivery, attempt: null }
    : await readSandboxDelivery(context, options, source, timestamp);
  const { headers, body, attempt, secretPrefix } = sent;
  // Of what was sent, with the given secrets: whether the fault is on the way or in a secret.
  const sentVerdict = verify({ secrets, headers, body }).verdict;
  return {
    result: { source, attempt, sentVerdict, ...compareDeliveries(sent, received, secrets) },
    secretPrefix,
  };
}

/** No id has a dot or a slash. */
const isFileName = (text: string): boolean => /[./]/.test(text);

/** The headers side by side, then where the bodies part. */
function renderComparison({ source, attempt, sentVerdict, headers, body }: SentComparison): readonly Block[] {
  const { sentBytes, receivedBytes, firstDifference } = body;
  const size = firstDifference
    ? `${sentBytes} bytes sent, ${receivedBytes} received`
    : `the same ${sentBytes} bytes`;
  return [
    {
      kind: "card",
      section: "against",
      title: attempt === null ? `Compared with ${source}` : `Compared with attempt ${attempt} of ${source}`,
      record: { source, attempt, sentVerdict, body },
      rows: [
        ["as sent", `${sentVerdict} with the secret given here`],
        ["body", size],
        ...(firstDifference
          ? ([
              ["differs at", `offset ${firstDifference.offset}`],
              ["sent", firstDifference.sent ?? HIDDEN],
              ["received", firstDifference.received ?? HIDDEN],
            ] as const)
          : []),
      ],
    },
    toTable({
      section: "against.headers",
      items: headers,
      columns: [
        { name: "name", title: "header" },
        { name: "result", display: ({ result }) => result.replace("_", " ") },
        { name: "sent" },
        { name: "received", display: ({ result, received }) => (result === "same" ? null : received) },
      ],
    }),
  ];
}

const HIDDEN = "not shown: a body holds a secret";
