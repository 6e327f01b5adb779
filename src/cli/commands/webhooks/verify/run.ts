import { resolve } from "node:path";
import { type ClaimsError, usageError, verificationError } from "../../../../domain/errors.ts";
import { headerValues } from "../../../../domain/http-headers.ts";
import { UUID } from "../../../../domain/uuid.ts";
import {
  type Doubt,
  findRepeat,
  listDoubts,
  readClaimedEvent,
  readSignedEvent,
} from "../../../../domain/webhooks/doubts.ts";
import {
  addToEvidence,
  COMPARE_SECRETS,
  isProved,
  labelCause,
} from "../../../../domain/webhooks/explain/causes.ts";
import { explainReuse } from "../../../../domain/webhooks/explain/explain-reuse.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain-signature.ts";
import { findFramework } from "../../../../domain/webhooks/explain/raw-body-examples.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import {
  explainReceived,
  type Verification,
} from "../../../../domain/webhooks/input-formats/choose-received.ts";
import { isGenuine, sign, type VerifyFailure } from "../../../../domain/webhooks/signature.ts";
import { wrapAtSpaces } from "../../../../domain/wrap-text.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import type { RecordOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { renderCaseFile } from "../input-formats/case-file.ts";
import { type DeliveryInput, readDelivery } from "../input-formats/input-formats.ts";
import { readVerification, refuseStdinConflict } from "../signing-secrets.ts";
import { BODY_OR_SECRET, mayBeOtherSecret, NEXT_STEP, renderVerdict } from "./verdict-view.ts";
import type { VerifyOptions } from "./verify.ts";

export async function runVerify(
  context: Context,
  options: VerifyOptions & { readonly file: string | undefined },
): Promise<RecordOutput> {
  const { file, body, headers, secretFile = [] } = options;
  if (file !== undefined && UUID.test(file))
    throw usageError("option_invalid", `${file} is an id, and a file with a delivery is expected`, {
      hint: `give --delivery ${file} for a delivery of the sandbox, and ./${file} for a file`,
    });
  refuseStdinConflict([file, body, headers, ...secretFile]);
  const verification = { ...(await readVerification(context, options)), computed: options.computed };
  const { secrets } = verification;
  const given = await readDelivery(context, options, verification);
  const { input, explanation: own } = explainInput(context, options, given, verification);
  const explanation = explainReuse(own, input, input.signedFirst);
  if (options.caseFile !== undefined) {
    const text = renderCaseFile(input, secrets, explanation);
    // Readable by its owner only: it holds no secret, but a partner's data.
    const settings = { mode: 0o600, signal: context.signal };
    await writeFileAtomically(resolve(context.cwd, options.caseFile), [text], settings);
  }
  const doubts = explanation.isDeliveryRight ? listOpenDoubts(input, options) : [];
  for (const { what, advice } of doubts) printMessage(context, `warning: ${what}. ${advice}`);
  const result = renderResult(explanation, input, secrets, options);
  if (explanation.verdict !== "valid" || doubts.length > 0) return result;
  const ofSignature = explanation.computed === "right" ? RIGHT_SIGNATURE : NEXT_STEP;
  const next = input.isTimeRefused ? REFUSED_TIME : ofSignature;
  if (!context.stdout.isTerminal) printMessage(context, next);
  const lines = wrapAtSpaces(next, context.stdout.columns || Number.POSITIVE_INFINITY);
  return { ...result, blocks: [...result.blocks, { kind: "paragraph", isAdvice: true, lines }] };
}

/** The doubts about a delivery whose signature matches; one of a tolerance that was given is in the verdict. */
function listOpenDoubts(input: DeliveryInput, { tolerance }: VerifyOptions): readonly Doubt[] {
  const open = listDoubts(input).filter(({ kind }) => kind !== "arrived_late" || tolerance === undefined);
  const repeat = input.signedFirst && findRepeat(input, input.signedFirst);
  return repeat ? [...open, repeat] : open;
}

/** Explains the delivery; of a delivery of the sandbox the attempt of which the receiver computed the signature. */
function explainInput(
  context: Context,
  { at, tolerance, computed }: VerifyOptions,
  given: DeliveryInput,
  verification: Verification,
): { readonly input: DeliveryInput; readonly explanation: Explanation } {
  const explainOne = (input: DeliveryInput) => {
    // How old it was when it arrived, if a record says that; a header of a request can be its sender's.
    const now = at ?? (tolerance === undefined ? null : input.receivedAt) ?? context.now();
    return { input, explanation: explainReceived(input, { ...verification, now }) };
  };
  const { attempts = [] } = given;
  const several = computed !== undefined && attempts.length > 1 ? attempts : [];
  for (const attempt of several) {
    const { input, explanation } = explainOne({ ...given, ...attempt });
    if (explanation.computed !== "right" && !isProved(explanation)) continue;
    const ofAttempt = `, of attempt ${attempt.attempt} of ${attempts.length}`;
    const [first, ...others] = explanation.causes;
    if (!first) return { input, explanation: { ...explanation, reason: explanation.reason + ofAttempt } };
    const causes = [{ ...first, evidence: addToEvidence(first.evidence, ofAttempt) }, ...others];
    return { input, explanation: { ...explanation, causes } };
  }
  return explainOne(given);
}

const RIGHT_SIGNATURE =
  "next: your receiver computed the right signature, so look at how it compares it, and with which header";

const REFUSED_TIME =
  "next: by its log, your receiver refused the time, not the signature: compare its clock with UTC, and the unit of its time (s or ms) with that of the timestamp";

function renderResult(
  explanation: Explanation,
  input: DeliveryInput,
  secrets: readonly string[],
  { showExpected = false, verbose = false, framework }: VerifyOptions,
): RecordOutput {
  const { headers, body, caseFinding } = input;
  const { secretIndex, isDeliveryRight: _isRight, failure, computed, ...shown } = explanation;
  const { verdict } = shown;
  const fingerprints = secrets.map(fingerprint);
  const [timestamp = ""] = headerValues(headers, TIMESTAMP_HEADER);
  const facts = {
    event: isGenuine(explanation) ? (readSignedEvent(body) ?? readClaimedEvent(input)) : null,
    signedBy: secretIndex === null ? null : (fingerprints[secretIndex] ?? null),
    fingerprints,
    ...(showExpected && {
      expected: secrets.map((secret) => ({
        fingerprint: fingerprint(secret),
        signature: sign({ secret, timestamp, body }),
      })),
    }),
  };
  const view = {
    facts,
    isVerbose: verbose,
    framework: framework ?? findFramework(input.facts ?? new Map()),
    caseFinding,
  };
  return {
    kind: "record",
    json: {
      ...shown,
      ...(computed !== null && { computed }),
      ...facts,
      ...(failure !== null && { failure }),
      ...(caseFinding && { case: caseFinding }),
    },
    id: verdict,
    blocks: renderVerdict(explanation, view),
    failure: verdict === "valid" ? undefined : toFailure(verdict, explanation, verbose),
  };
}

/** The cause and its fix are in the result, and not repeated. */
function toFailure(
  verdict: VerifyFailure,
  { causes, computed }: Explanation,
  isVerbose: boolean,
): ClaimsError {
  const labels = causes.map(labelCause);
  const isUnexplained = labels.length === 0;
  const unknown = verdict === "stale" ? "its timestamp is outside the tolerance" : "no known cause fits";
  const message = `the delivery is not verified: ${labels.join(", ") || unknown}`;
  const ofCauses = isVerbose
    ? "--case-file FILE writes all of it without secrets, to send on"
    : "-v shows the bytes, the remarks and the line to change";
  // What the receiver computed says more of the secret.
  const isUnsure = verdict === "mismatch" && mayBeOtherSecret(labels) && (computed === null || isUnexplained);
  const hints = [
    ...(isUnexplained ? ["refuse it, as it can be forged"] : []),
    ...(isUnsure ? [BODY_OR_SECRET] : []),
    isUnexplained ? COMPARE_SECRETS : ofCauses,
  ];
  const hint = verdict === "stale" ? STALE_HINT : hints.join("; ");
  return verificationError(`signature_${verdict}`, message, { hint });
}

const STALE_HINT =
  "refuse it: it was held in a queue, or sent again late or by somebody else; if every delivery is stale, compare the clocks of both sides";
