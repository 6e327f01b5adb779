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
  const own = explainSignature(input);
  if (input.computed === undefined) return own;
  return { ...explainComputed(own, input, input.computed), isDeliveryRight: own.isDeliveryRight };
}

function explainComputed(own: Explanation, input: ExplainInput, computed: string): Explanation {
  const headers = listHeaders(input.headers);
  const ofReceiver = replaceSignature(headers, computed);
  const [signature] = headerValues(headers, SIGNATURE_HEADER);
  if (signature === computed && !isGenuine(own)) return explainAgreement(own);
  const ofText = explainSignature({ ...input, headers: ofReceiver }, { isComputed: true });
  const isRight = isGenuine(ofText);
  if (signature === undefined) return explainWithout(own, ofText);
  if (isGenuine(own)) {
    if (isRight) return { ...own, reason: RIGHT, computed: "right" };
    const causes = ofText.causes.filter(({ certainty }) => certainty === "proved");
    return {
      ...ofText,
      verdict: "mismatch",
      reason: OTHER_SIGNATURE,
      computed: "different",
      causes: causes.length > 0 ? causes : listUnknown(ofText, computed),
    };
  }
  if (isRight) {
    const causes = explainOtherText(own.causes, input);
    const constant = readConstantText(input.body);
    const isKnown = own.causes.length > 0 || constant !== null;
    const isOfText = isKnown && causes.some(({ id }) => id.startsWith("body.") || id === "base.reserialized");
    return {
      ...own,
      reason: isOfText ? describeOtherText(constant) : OTHER_TEXT_OR_SECRET,
      computed: "right_of_other_text",
      causes,
    };
  }
  if (isProved(ofText)) {
    // A receiver that hashed the text of the record, but for what a copy changed at its end, says nothing of what was sent.
    if (isProved(own) && ofText.causes.every(({ id }) => EDGES.includes(id)))
      return {
        ...own,
        reason: describeOtherText(null),
        computed: "right_of_other_text",
        causes: explainFormattedText(own.causes, ofText.causes, input),
      };
    return { ...ofText, verdict: own.verdict, reason: own.reason, computed: "different" };
  }
  return { ...own, computed: "different" };
}

/** What a receiver computed is no signature that arrived. */
function explainWithout(own: Explanation, ofText: Explanation): Explanation {
  const isRight = isGenuine(ofText);
  const reason = `${own.reason}; ${isRight ? RIGHT_OF_FORGED : OTHER_OF_MISSING}`;
  return {
    ...own,
    reason,
    causes: isRight ? own.causes : ofText.causes,
    computed: isRight ? "right" : "different",
  };
}

/** Sender and receiver signed the same text with the same secret, so what differs is the record, or the secret given here. */
function explainAgreement(own: Explanation): Explanation {
  const ofRecord = own.causes.map(({ id, certainty, evidence }) =>
    createCause(id, certainty, evidence, "log"),
  );
  const causes = isProved(own) ? ofRecord : [createCause("secret.another", "likely", SAME_SIGNATURE)];
  return { ...own, reason: `${own.reason}; ${SAME_SIGNATURE}`, computed: "right", causes };
}

const SAME_SIGNATURE = "your receiver computed the signature that arrived";
const RIGHT = "the signature matches, and your receiver computed the same one";
const RIGHT_OF_FORGED = "your receiver computed the right signature of this text, as it does of a forged one";
const OTHER_OF_MISSING = "your receiver computed another signature than that of this text";
const OTHER_SIGNATURE = "the delivery is right, and your receiver computed another signature";
const describeOtherText = (constant: string | null): string =>
  `secret and formula of your receiver are right: it hashed ${constant ?? "the text of this record"}, which is not what was sent`;

const OTHER_TEXT_OR_SECRET =
  "your receiver computed the right signature of this text with this secret; the sender signed with another secret, or another text";

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
function explainOtherText(
  own: readonly Cause[],
  { headers, body, isParsed = false }: ExplainInput,
): readonly Cause[] {
  const constant = readConstantText(body);
  if (constant !== null) {
    const evidence = `your receiver computed the signature of ${constant}`;
    return [createCause(body.length === 0 ? "body.empty" : "body.constant", "proved", evidence)];
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
  const all = listHeaders(headers);
  const length = readContentLength(all);
  if (own.length === 0) {
    // Text that has its Content-Length was not made by the receiver.
    return length === bytes.length
      ? [
          createCause(
            "secret.another",
            "likely",
            `Content-Length is ${length}, as the body has: ${ARRIVED_SO}`,
          ),
        ]
      : [isParsed ? HASHED_PARSED : GO_ESCAPE.test(bytes.toString()) ? HASHED_MAP : ALTERED_OR_OTHER_SECRET];
  }
  const proxy = length === null ? findProxy(all) : null;
  // A body that has its Content-Length arrived so: what changed it is before the receiver.
  const actor = length === bytes.length || proxy !== null ? ("between" as const) : ("receiver" as const);
  const note =
    proxy === null ? "" : `${proxy}; if it is not that one, your program hashed what it printed itself`;
  return own.map((cause) =>
    cause.id.startsWith("body.") && !ON_THE_WAY.includes(cause.id)
      ? createCause(cause.id, cause.certainty, addToEvidence(cause.evidence, note), actor)
      : cause,
  );
}

const ARRIVED_SO =
  "your receiver hashed what arrived, so its secret is another one than the sender's, or a proxy changed a value";

/** What a log, a copy or an editor adds at the end of a text, or removes there. */
const EDGES: readonly string[] = ["body.trailing_newline", "body.trimmed"];

/** Programs print indented JSON without a line end after it, and editors and formatters of files with one. */
function explainFormattedText(
  own: readonly Cause[],
  [ofEdge]: readonly Cause[],
  input: ExplainInput,
): readonly Cause[] {
  const isFile = own.some(({ id, actor }) => id === "body.reserialized" && actor === "log");
  if (!isFile || ofEdge?.id !== "body.trailing_newline") return explainOtherText(own, input);
  const note = "; your receiver hashed the indented text with a line end, as a file ends";
  return own.map((cause) =>
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

/**
 * Of two deliveries with one signature, the one that verifies was signed.
 *
 * @param signedAt where a delivery with the same signature is that verifies, if there is one
 */
export function explainReuse(explanation: Explanation, signedAt: string | undefined): Explanation {
  const { verdict, computed } = explanation;
  const isKnown = computed !== null || isProved(explanation);
  if (signedAt === undefined || verdict !== "mismatch" || isKnown) return explanation;
  const evidence = `${signedAt} has the same signature and another body or timestamp, and verifies`;
  return { ...explanation, causes: [createCause("signature.reused", "proved", evidence)] };
}
