import { type HeaderList, headerValues } from "../../http-headers.ts";
import { Buffer } from "../buffer.ts";
import { listHeaders, SIGNATURE_HEADER } from "../headers.ts";
import { isGenuine } from "../signature.ts";
import { addToEvidence, type Cause, COMPARE_SECRETS, createCause, isProved } from "./causes.ts";
import { readConstantText } from "./constant-texts.ts";
import { findProxy, readContentLength } from "./evidence.ts";
import { type ExplainInput, type Explanation, explainSignature } from "./explain-signature.ts";

/**
 * Says whether a delivery verifies, and why not; with a computed signature also what the receiver did to get it. It is never
 * `valid` for a text that was not sent.
 *
 * @throws TypeError for arguments that `verify` refuses; never because of the delivery
 */
export function explain(input: ExplainInput): Explanation {
  const arrivedResult = explainSignature(input);
  if (input.computed === undefined) return arrivedResult;
  return {
    ...explainComputed(arrivedResult, input, input.computed),
    isDeliveryRight: arrivedResult.isDeliveryRight,
  };
}

/**
 * Each of two signatures may match the text: the one that arrived, and the one that the receiver computed.
 *
 *     arrived    computed
 *     differs    the same    both sides signed another text, or with another secret
 *     missing    any         the delivery is not signed
 *     matches    matches     all is right
 *     matches    differs     the receiver's fault
 *     differs    matches     the sender signed another text, or with another secret
 *     differs    differs     the receiver's fault if one is proved
 */
function explainComputed(arrived: Explanation, input: ExplainInput, computedSignature: string): Explanation {
  const headers = listHeaders(input.headers);
  const [arrivedSignature] = headerValues(headers, SIGNATURE_HEADER);
  if (!isGenuine(arrived) && arrivedSignature === computedSignature) return explainAgreement(arrived);
  const signedByReceiver = { ...input, headers: replaceSignature(headers, computedSignature) };
  const computed = explainSignature(signedByReceiver, { isComputed: true });
  if (arrivedSignature === undefined) return explainMissing(arrived, computed);
  if (isGenuine(arrived) && isGenuine(computed))
    return {
      ...arrived,
      reason: "the signature matches, and your receiver computed the same one",
      computed: "right",
    };
  if (isGenuine(arrived)) return explainReceiverFault(computed, computedSignature);
  if (isGenuine(computed)) return explainOtherText(arrived, input);
  if (!isProved(computed)) return { ...arrived, computed: "different" };
  // A receiver that hashed the text of the record, but for what a copy changed at its end, says nothing of what was sent.
  if (isProved(arrived) && computed.causes.every(({ id }) => EDGES.includes(id)))
    return {
      ...arrived,
      reason: describeOtherText(null),
      computed: "right_of_other_text",
      causes: listFormattedTextCauses(arrived.causes, computed.causes, input),
    };
  const { verdict, reason } = arrived;
  return { ...computed, verdict, reason, computed: "different" };
}

/** Sender and receiver signed the same text with the same secret, so what differs is the record, or the secret given here. */
function explainAgreement(arrived: Explanation): Explanation {
  const agreement = "your receiver computed the signature that arrived";
  const causes = isProved(arrived)
    ? arrived.causes.map(({ id, certainty, evidence }) => createCause(id, certainty, evidence, "log"))
    : [createCause("secret.another", "likely", agreement)];
  return { ...arrived, reason: `${arrived.reason}; ${agreement}`, computed: "right", causes };
}

/** What a receiver computed is no signature that arrived. */
function explainMissing(arrived: Explanation, computed: Explanation): Explanation {
  const { reason } = arrived;
  if (isGenuine(computed))
    return {
      ...arrived,
      reason: `${reason}; your receiver computed the right signature of this text, as it does of a forged one`,
      computed: "right",
    };
  return {
    ...arrived,
    reason: `${reason}; your receiver computed another signature than that of this text`,
    causes: computed.causes,
    computed: "different",
  };
}

/** Of a right delivery: only what is proved of the computed signature is why it differs. */
function explainReceiverFault(computed: Explanation, computedSignature: string): Explanation {
  const proved = computed.causes.filter(({ certainty }) => certainty === "proved");
  return {
    ...computed,
    verdict: "mismatch",
    reason: "the delivery is right, and your receiver computed another signature",
    computed: "different",
    causes: proved.length > 0 ? proved : listUnknown(computed, computedSignature),
  };
}

/** The receiver hashed this text with this secret, and the sender signed something else. */
function explainOtherText(arrived: Explanation, input: ExplainInput): Explanation {
  const causes = listTextCauses(arrived.causes, input);
  const constant = readConstantText(input.body);
  const isExplained = arrived.causes.length > 0 || constant !== null;
  const hasTextCause = causes.some(({ id }) => id.startsWith("body.") || id === "base.reserialized");
  return {
    ...arrived,
    reason:
      isExplained && hasTextCause
        ? describeOtherText(constant)
        : "your receiver computed the right signature of this text with this secret; the sender signed with another secret, or another text",
    computed: "right_of_other_text",
    causes,
  };
}

const describeOtherText = (constant: string | null): string =>
  `secret and formula of your receiver are right: it hashed ${constant ?? "the text of this record"}, which is not what was sent`;

/** This secret and this text belong together, so it is not the receiver's that is another one. */
const ALTERED_OR_OTHER_SECRET: Cause = {
  ...createCause("base.unknown", "likely", "nothing in this text shows a fault"),
  title: "the sender has another secret, or body or signature were altered",
  fix: `refuse it, as it can be forged; if its sender says that it sent it, ${COMPARE_SECRETS}, and compare this text with the bytes as they arrived`,
};

/** The receiver hashed what it parsed; that the sender has the same secret is not proved. */
const HASHED_PARSED = createCause(
  "body.reserialized",
  "likely",
  "the log has the body as it was parsed, and your receiver hashed the JSON of that",
);

/** Escapes of characters that JSON has no need to escape, as json.Marshal of Go writes them. */
const GO_ESCAPE = /\\u00(?:26|3c|3e)/;
const HASHED_MAP = createCause(
  "body.reserialized",
  "likely",
  "the text has escapes as json.Marshal of Go prints them; log the bytes that arrived to prove it, as the secret can be another one",
);

/** A signature in base64, or in uppercase, stays as the receiver printed it. */
export const replaceSignature = (headers: HeaderList, computed: string): HeaderList => [
  ...headers.filter(([name]) => name.toLowerCase() !== SIGNATURE_HEADER.toLowerCase()),
  [SIGNATURE_HEADER, computed],
];

/**
 * The receiver hashed what the record has, so what changed that is not the log. Text that shows no fault says nothing of the
 * secret: the given one can be the receiver's own wrong one.
 */
function listTextCauses(
  causes: readonly Cause[],
  { headers, body, isParsed = false }: ExplainInput,
): readonly Cause[] {
  const constant = readConstantText(body);
  if (constant !== null) {
    const evidence = `your receiver computed the signature of ${constant}`;
    return [createCause(body.length === 0 ? "body.empty" : "body.constant", "proved", evidence)];
  }
  const bytes = Buffer.from(body as string);
  const all = listHeaders(headers);
  const length = readContentLength(all);
  if (causes.length === 0) {
    // Text that has its Content-Length was not made by the receiver.
    const evidence = `Content-Length is ${length}, as the body has: your receiver hashed what arrived, so its secret is another one than the sender's, or a proxy changed a value`;
    if (length === bytes.length) return [createCause("secret.another", "likely", evidence)];
    return [
      isParsed ? HASHED_PARSED : GO_ESCAPE.test(bytes.toString()) ? HASHED_MAP : ALTERED_OR_OTHER_SECRET,
    ];
  }
  const proxy = length === null ? findProxy(all) : null;
  // A body that has its Content-Length arrived so: what changed it is before the receiver.
  const actor = length === bytes.length || proxy !== null ? ("between" as const) : ("receiver" as const);
  const note =
    proxy === null ? "" : `${proxy}; if it is not that one, your program hashed what it printed itself`;
  return causes.map((cause) =>
    cause.id.startsWith("body.") && cause.actor !== "sender" && !ON_THE_WAY.includes(cause.id)
      ? createCause(cause.id, cause.certainty, addToEvidence(cause.evidence, note), actor)
      : cause,
  );
}

/** What a log, a copy or an editor adds at the end of a text, or removes there. */
const EDGES: readonly string[] = ["body.trailing_newline", "body.trimmed"];

/** Programs print indented JSON without a line end after it, and editors and formatters of files with one. */
function listFormattedTextCauses(
  causes: readonly Cause[],
  [ofEdge]: readonly Cause[],
  input: ExplainInput,
): readonly Cause[] {
  const isFile = causes.some(({ id, actor }) => id === "body.reserialized" && actor === "log");
  if (!isFile || ofEdge?.id !== "body.trailing_newline") return listTextCauses(causes, input);
  const note = "; your receiver hashed the indented text with a line end, as a file ends";
  return causes.map((cause) =>
    createCause(cause.id, cause.certainty, addToEvidence(cause.evidence, note), cause.actor),
  );
}

/** A receiver that hashes what arrived does not add these. */
const ON_THE_WAY: readonly string[] = ["body.compressed", "body.envelope"];

/** Hex digits or base64 of a whole digest. */
const WHOLE_DIGEST = /^(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/i;

/** A right delivery excludes the log and the way: the receiver has another key, or makes a text that cannot be derived. */
function listUnknown({ tried, complete }: Explanation, computed: string): readonly Cause[] {
  if (!complete || !WHOLE_DIGEST.test(computed)) return [];
  const evidence = `none of ${tried} changes of this text, signed with this secret, gives the signature of your receiver`;
  return [createCause("base.unknown", "likely", evidence)];
}
