import { type HeaderList, headerValues } from "../../http-headers.ts";
import { Buffer } from "../buffer.ts";
import { listHeaders, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { isGenuine, type VerifyInput, type VerifyResult, verify } from "../signature.ts";
import { listBaseStrings } from "./base-strings.ts";
import { unescapeLiteral } from "./body-encodings.ts";
import { BodyVariants } from "./body-variants.ts";
import { blameReceiver, type Cause, type CauseId, createCause } from "./causes.ts";
import { chooseActor } from "./choose-actor.ts";
import type { Decompress } from "./compression.ts";
import { decodeSignatures } from "./decoded-signatures.ts";
import { type FailedDelivery, findLikelyCauses, readContentLength, shorten } from "./evidence.ts";
import { findFirstDifference } from "./first-difference.ts";
import { findOtherNames } from "./header-names.ts";
import { ParsedBody } from "./json-text.ts";
import { type Match, search } from "./search.ts";
import { type CandidateSecret, type Remark, remarkOnSecrets, secretVariants } from "./secrets.ts";
import { rareTimestamps, timestampVariants } from "./timestamp-variants.ts";
import type { UndoneFault } from "./variants.ts";
import { WorkBudget } from "./work-budget.ts";

export interface ExplainInput extends VerifyInput {
  readonly candidateSecrets?: readonly CandidateSecret[] | undefined;
  /** Of the right secret, from the list of endpoints (interface §2). */
  readonly secretPrefix?: string | undefined;
  /** Whether the headers and the bytes are those of a request that was captured, not what a log says of one. */
  readonly isRequest?: boolean | undefined;
  /** Whether the log that has the body says that the receiver refused the delivery. */
  readonly isRefused?: boolean | undefined;
  /** Whether the body is the JSON of what a log has of it after parsing. */
  readonly isParsed?: boolean | undefined;
  /** The signature that a receiver computed of this text. */
  readonly computed?: string | undefined;
  /** Without it, a compressed body is only recognized. */
  readonly decompress?: Decompress | undefined;
  /** Called often; true ends the search, for a caller with a deadline. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/**
 * What the receiver's signature is: the delivery's; the right one of this text, which is not what was sent; or another one.
 */
type ComputedVerdict = "right" | "right_of_other_text" | "different";

/** The result of `verify`, and its causes. Without a cause it is unexplained. */
export interface Explanation extends VerifyResult {
  readonly causes: readonly Cause[];
  /** What is odd, but is not why; whatever the verdict. */
  readonly remarks: readonly Remark[];
  readonly tried: number;
  /** False if a bound ended the search before every variation was tried, or the explanation failed. */
  readonly complete: boolean;
  /** The error if the explanation failed, which is a bug of this program; otherwise null. */
  readonly failure: string | null;
  /** Null without a computed signature. */
  readonly computed: ComputedVerdict | null;
  /** Whether the delivery's own signature is right, also of a stale delivery, and whatever the receiver computed. */
  readonly isDeliveryRight: boolean;
}

type Findings = Pick<Explanation, "causes" | "tried" | "complete" | "failure">;

const NO_FINDINGS: Findings = { causes: [], tried: 0, complete: true, failure: null };

/**
 * Verifies a delivery and, if its signature does not match, searches for what happened to body, secret, timestamp, base
 * string or signature: the fewest faults first, at most two at once, but a rare one after pairs of frequent ones. The search
 * is bounded by counted work, never by a clock: the same input gives the same result.
 *
 * @param options isComputed: whether the signature is one that a receiver computed, not one that it got
 * @throws TypeError for arguments that `verify` refuses; never because of the delivery
 */
export function explainSignature(
  input: ExplainInput,
  { isComputed = false }: { readonly isComputed?: boolean } = {},
): Explanation {
  const headers = listHeaders(input.headers);
  const result = verify({ ...input, headers });
  const isDeliveryRight = isGenuine(result);
  const remarks = remarkOnSecrets(input.secrets, result, input.secretPrefix);
  const explanation = { ...result, ...NO_FINDINGS, remarks, computed: null, isDeliveryRight };
  if (isDeliveryRight) return explanation;
  try {
    const bytes = typeof input.body === "string" ? Buffer.from(input.body) : input.body;
    const work = new WorkBudget(bytes.byteLength, input.shouldStop);
    const body = new ParsedBody(bytes, work);
    const { candidateSecrets = [] } = input;
    return { ...explanation, ...findCauses({ ...input, candidateSecrets, isComputed, headers, body }, work) };
  } catch (error) {
    return { ...explanation, complete: false, failure: shorten(String(error)) };
  }
}

function findCauses(delivery: FailedDelivery, work: WorkBudget): Findings {
  const { headers, secrets, candidateSecrets, body } = delivery;
  const timestamps = headerValues(headers, TIMESTAMP_HEADER);
  const space = {
    bodies: new BodyVariants(body, work, delivery),
    secrets: secretVariants(secrets, candidateSecrets, work),
    timestamps: timestampVariants(timestamps, findOtherNames(headers, TIMESTAMP_HEADER), body.json, work),
    rareTimestamps: () => {
      if (body.bytes.length <= MAX_BYTES_FOR_RARE_VARIANTS) return rareTimestamps(timestamps);
      work.markIncomplete();
      return [];
    },
    bases: listBaseStrings(headers, body.bytes),
  };
  const { match, tried } = search(decodeSignatureHeader(headers, work), space, work);
  const causes = match
    ? listProvedCauses(match, delivery)
    : findLikelyCauses({ ...delivery, body: unescapeBody(body, work) });
  const isWithoutHeaders = causes.some(({ id }) => id === "headers.missing");
  const kinds = isWithoutHeaders ? [] : (["timestamp", "signature"] as const);
  const all = [...causes, ...kinds.flatMap((kind) => findHeaderFaults(headers, kind, match))];
  return {
    causes: all
      .filter(({ id }, index) => all.findIndex((other) => other.id === id) === index)
      .map((cause) => (delivery.isComputed ? blameReceiver(cause) : chooseActor(cause, match, delivery))),
    tried,
    complete: match !== null || work.isComplete,
    failure: null,
  };
}

/** A body as nginx logs it, without its escapes. */
function unescapeBody(body: ParsedBody, work: WorkBudget): ParsedBody {
  const { text } = body;
  const isEscaped = text !== null && /^\s*[[{]\s*\\x22/.test(text);
  return isEscaped ? new ParsedBody(Buffer.from(unescapeLiteral(text)), work) : body;
}

function decodeSignatureHeader(headers: HeaderList, work: WorkBudget) {
  const values = headerValues(headers, SIGNATURE_HEADER);
  if (values.length > 0) return decodeSignatures(values, [], work);
  return findOtherNames(headers, SIGNATURE_HEADER).flatMap(({ name, value }) => {
    const description = `the value of ${shorten(name)}`;
    return decodeSignatures([value], [{ id: "signature.header_name", description }], work);
  });
}

/** Larger bodies would take too long to hash hundreds of times. */
const MAX_BYTES_FOR_RARE_VARIANTS = 32 << 10;

/** Faults of a header that need no search. A missing header is enough; the others are proved by a match. */
function findHeaderFaults(headers: HeaderList, kind: "timestamp" | "signature", match: Match | null) {
  const name = kind === "timestamp" ? TIMESTAMP_HEADER : SIGNATURE_HEADER;
  const values = headerValues(headers, name);
  const [value = ""] = values;
  const given = `${name} is given ${values.length} times`;
  if (values.length > 1) return [createCause(`${kind}.doubled`, match ? "proved" : "likely", given)];
  const others = values.length === 0 ? findOtherNames(headers, name) : [];
  // The match shows what was signed in its place.
  if (others.length > 0 && match?.faults.some(({ id }) => id.startsWith(`${kind}.`))) return [];
  const [other] = others;
  if (other?.isNear)
    return [createCause(`${kind}.header_name`, "likely", `${shorten(other.name)} in place of ${name}`)];
  if (value.trim() !== "") return [];
  const candidate = other ? `; the value of ${shorten(other.name)} does not verify in its place` : "";
  const evidence = `${name} is ${values.length > 0 ? "empty" : "missing"}${candidate}`;
  return [createCause(`${kind}.missing`, "proved", evidence)];
}

/** Each undone fault is a cause: without undoing it the signature would not match. */
function listProvedCauses({ body: signed, faults: undone }: Match, delivery: FailedDelivery): Cause[] {
  const ofLineEnds = delivery.isComputed ? null : explainLostLineEnds(signed, delivery);
  if (ofLineEnds && undone.every(({ id }) => OF_PRINTING.includes(id))) return [ofLineEnds];
  const matchText = delivery.isComputed
    ? describeComputed(undone)
    : `the signature matches ${undone.map(({ description }) => description).join(", with ")}`;
  // A receiver that printed the body again did not hash what its log shows of it, nor did it cut its signature.
  const isLog = ({ id }: UndoneFault) =>
    delivery.isComputed &&
    (id === "body.printed"
      ? undone.some((other) => other.id === "body.reserialized")
      : id === "signature.copied" && undone.some((other) => !other.id.startsWith("signature.")));
  // Who prints the JSON again loses the line end after it.
  const isPartOfPrint = ({ id }: UndoneFault) =>
    !delivery.isComputed &&
    id === "body.trailing_newline" &&
    undone.some((other) => other.id === "body.reserialized");
  const faults = undone.filter((fault) => !isLog(fault) && !isPartOfPrint(fault));
  const firstOfBody = faults.find(({ id }) => id.startsWith("body."));
  return faults.map((fault) => {
    const known = faults.length === 1 && fault.evidence ? [fault.evidence] : [matchText, fault.evidence];
    if (fault !== firstOfBody) return createCause(fault.id, "proved", known.filter(Boolean).join("\n"));
    const details = [describeBodies(signed, delivery), describeContentLength(signed, delivery)];
    const evidence = [matchText, ...details].filter(Boolean).join("\n");
    return createCause(fault.id, "proved", evidence);
  });
}

const OF_PRINTING: readonly CauseId[] = ["body.reserialized", "body.trailing_newline"];

/** A body that is the signed one without its line ends: `curl -d @FILE` removes them, and so do logs of one line. */
function explainLostLineEnds(signed: Buffer, { headers, body }: FailedDelivery): Cause | null {
  const { text, bytes } = body;
  const lines = signed.toString();
  if (text === null || !/\n./.test(lines) || lines.replace(/[\r\n]/g, "") !== text) return null;
  const [agent = ""] = headerValues(headers, "user-agent");
  const isSent = readContentLength(headers) === bytes.length || /^curl\//i.test(agent);
  const evidence = "the signature matches the body with its line ends, which are removed here";
  return createCause("body.line_endings", "proved", evidence, isSent ? "sender" : "log");
}

/** Bytes to search for secrets before evidence shows any of them: those of both bodies, for each secret. */
const MAX_SEARCHED_BYTES = 200 << 20;

/** What a receiver did to get its signature. */
function describeComputed(faults: Match["faults"]): string {
  const of = (pattern: RegExp) =>
    faults.filter(({ id }) => pattern.test(id)).map(({ description }) => description);
  const text = of(/^(?:body|base|timestamp)\./).join(", with ") || "the right text";
  const [keys, notations] = [of(/^secret\./), of(/^signature\./)];
  return [
    `your receiver computed the signature of ${text}`,
    ...keys.map((key) => `its key is ${key}`),
    ...notations.map((notation) => `it matches as ${notation}`),
  ].join("; ");
}

/** The first difference of the bodies; without their bytes if they hold a secret. */
function describeBodies(signed: Buffer, { body: { bytes }, secrets, candidateSecrets }: FailedDelivery) {
  const all = [...secrets, ...candidateSecrets.map(({ secret }) => secret)].filter((secret) => secret !== "");
  const isSearched = all.length * (bytes.length + signed.length) <= MAX_SEARCHED_BYTES;
  const holdsSecret = !isSearched || all.some((secret) => bytes.includes(secret) || signed.includes(secret));
  const { offset, lines } = findFirstDifference(bytes, signed);
  const sizes = `${bytes.length} bytes here, ${signed.length} when signed; the first difference is at offset ${offset}`;
  return holdsSecret ? sizes : `${sizes}\n  here    ${lines[0]}\n  signed  ${lines[1]}`;
}

/** Shows whether the body was changed before or after sending; null if Content-Length does not show it. */
function describeContentLength(signed: Buffer, { headers, body: { bytes } }: FailedDelivery): string | null {
  const length = readContentLength(headers);
  if (bytes.length === signed.length) return null;
  if (length === bytes.length)
    return `Content-Length is ${length}: the body was sent as it is here, or whoever made this copy changed it`;
  return length === signed.length
    ? `Content-Length is ${length}: the body was changed after sending, perhaps only in this copy`
    : null;
}
