import { Buffer } from "../buffer.ts";
import {
  type HeaderList,
  headerValues,
  listHeaders,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "../headers.ts";
import { type VerifyInput, type VerifyResult, verify } from "../signature.ts";
import { BASE_STRINGS } from "./base-strings.ts";
import { BodyVariants, findPayload } from "./body-variants.ts";
import { type Cause, type CauseId, createCause } from "./causes.ts";
import { readContentLength } from "./content-length.ts";
import { decodeSignatures } from "./decoded-signatures.ts";
import { describeDifference } from "./hexdump.ts";
import { findLikelyCauses } from "./likely-causes.ts";
import { ParsedBody } from "./parsed-body.ts";
import { type Match, type SearchSpace, search } from "./search.ts";
import { type CandidateSecret, secretVariants } from "./secret-variants.ts";
import { shorten } from "./shorten.ts";
import { timestampVariants } from "./timestamp-variants.ts";
import { maxWork, WorkBudget } from "./work-budget.ts";

/** A delivery to explain, and what may help. */
export interface ExplainInput extends VerifyInput {
  /** Secrets that may have been used in place of the right one. */
  readonly candidateSecrets?: readonly CandidateSecret[] | undefined;
  /** What the list of endpoints shows of the right one (interface §2). */
  readonly secretPrefix?: string | undefined;
  /** Asked again and again; true ends the search, for a caller that has a deadline. */
  readonly shouldStop?: (() => boolean) | undefined;
}

type InputWithHeaderList = ExplainInput & { readonly headers: HeaderList };

/** A judgement, and why it came to that. Without a cause it is unexplained. */
export interface Explanation extends VerifyResult {
  readonly causes: readonly Cause[];
  /** Variations tried. */
  readonly tried: number;
  /** False where a bound ended the search before every variation was tried, or where the explanation failed. */
  readonly complete: boolean;
  /** Why the explanation failed, which is a fault of this program; null where it did not. */
  readonly failure: string | null;
}

type SearchFindings = Omit<Explanation, keyof VerifyResult>;

/**
 * Judges a delivery and, when its signature does not fit, searches for what was done to body, secret, timestamp, base
 * string or signature: fewest faults first, at most two at once (product.md §6). The search is bounded by counted work,
 * never by a clock: the same input has the same result.
 *
 * @throws TypeError for arguments that `verify` refuses; never for what was delivered
 */
export function explain(input: ExplainInput): Explanation {
  const listedInput: InputWithHeaderList = { ...input, headers: listHeaders(input.headers) };
  const judgement = verify(listedInput);
  const { verdict } = judgement;
  if (verdict === "valid" || verdict === "stale") return { ...judgement, ...NO_FINDINGS };
  try {
    const bytes = typeof listedInput.body === "string" ? Buffer.from(listedInput.body) : listedInput.body;
    const work = new WorkBudget(maxWork(bytes.byteLength), listedInput.shouldStop);
    return { ...judgement, ...findCauses(listedInput, new ParsedBody(bytes, work), work) };
  } catch (error) {
    // The judgement stands, whatever becomes of its explanation.
    return { ...judgement, ...NO_FINDINGS, complete: false, failure: shorten(String(error)) };
  }
}

const NO_FINDINGS: SearchFindings = { causes: [], tried: 0, complete: true, failure: null };

function findCauses(given: InputWithHeaderList, body: ParsedBody, work: WorkBudget): SearchFindings {
  const { headers, secrets, secretPrefix } = given;
  const readings = decodeSignatures(headerValues(headers, SIGNATURE_HEADER), work);
  const { found, tried } = search(readings, buildSearchSpace(given, body, work), work);
  const causes = found
    ? toProvedCauses(found, body, given)
    : findLikelyCauses({ body, headers, secrets, secretPrefix });
  const complete = found !== null || work.isComplete;
  return { causes: uniqueCauses([...causes, ...findHeaderFaults(given)]), tried, complete, failure: null };
}

function buildSearchSpace(
  { headers, secrets, candidateSecrets: suspects = [] }: InputWithHeaderList,
  body: ParsedBody,
  work: WorkBudget,
): SearchSpace {
  const timestamps = headerValues(headers, TIMESTAMP_HEADER);
  return {
    bodies: new BodyVariants(body, work),
    secrets: secretVariants(secrets, suspects, work),
    timestamps: timestampVariants(timestamps, () => findPayload(body, work), work),
    bases: BASE_STRINGS,
  };
}

/** What is wrong with the headers whatever was signed: nothing has to be undone to see it. */
function findHeaderFaults({ headers }: InputWithHeaderList): Cause[] {
  return (
    [
      [TIMESTAMP_HEADER, "timestamp"],
      [SIGNATURE_HEADER, "signature"],
    ] as const
  ).flatMap(([name, kind]) => {
    const values = headerValues(headers, name);
    const [value = ""] = values;
    if (values.length > 1)
      return createCause(`${kind}.doubled`, "proved", `${name} is there ${values.length} times`);
    if (value.trim() === "")
      return createCause(
        `${kind}.missing`,
        "proved",
        values.length ? `${name} is empty` : `${name} is not there`,
      );
    return value.trim() === value
      ? []
      : createCause(`${kind}.whitespace`, "proved", `there is white space around the value of ${name}`);
  });
}

/** Each step of what fits is a cause: without undoing it the signature would not fit. */
function toProvedCauses(
  { body: signed, faults: steps }: Match,
  body: ParsedBody,
  given: InputWithHeaderList,
): Cause[] {
  const matchText = `the signature fits ${steps.map(({ description: undone }) => undone).join(", with ")}`;
  const firstOfBody = steps.find(({ id }) => id.startsWith("body."));
  return steps.map((step) => {
    if (step !== firstOfBody) return createCause(step.id, "proved", matchText);
    const evidence = [
      matchText,
      describeBodyDifference(body, signed.value, given),
      describeContentLength(given, body, signed.value),
    ];
    return createCause(
      resolveReserialized(step.id, given, body),
      "proved",
      evidence.filter(Boolean).join("\n"),
    );
  });
}

/** Bytes of both bodies, for each secret, that are searched for secrets before any of them is shown. */
const MAX_SEARCHED_BYTES = 200 << 20;

/** Where the bodies differ; without their bytes where a secret stands among them. */
function describeBodyDifference(
  { bytes }: ParsedBody,
  signed: Buffer,
  { secrets, candidateSecrets: suspects = [] }: InputWithHeaderList,
): string {
  const all = [...secrets, ...suspects.map(({ secret }) => secret)].filter((secret) => secret !== "");
  const isSearched = all.length * (bytes.length + signed.length) <= MAX_SEARCHED_BYTES;
  const holdsSecret = !isSearched || all.some((secret) => bytes.includes(secret) || signed.includes(secret));
  const [where = "", ...dumps] = describeDifference(bytes, signed);
  return [where, ...(holdsSecret ? [] : dumps)].join("\n");
}

/** Whether the body was changed before it was sent or after, as far as its Content-Length tells. */
function describeContentLength(given: InputWithHeaderList, body: ParsedBody, signed: Buffer): string | null {
  const length = readContentLength(given.headers);
  if (body.bytes.length === signed.length) return null;
  if (length === body.bytes.length) return `Content-Length is ${length}: it was sent as it is here`;
  return length === signed.length ? `Content-Length is ${length}: it was changed after it was sent` : null;
}

/** A body that has its counted length arrived as it was sent: it was the sender who signed another printing of it. */
const resolveReserialized = (id: CauseId, given: InputWithHeaderList, body: ParsedBody): CauseId =>
  id === "body.reserialized" && readContentLength(given.headers) === body.bytes.length
    ? "base.reserialized"
    : id;

const uniqueCauses = (causes: readonly Cause[]): readonly Cause[] =>
  causes.filter(({ id }, index) => causes.findIndex((other) => other.id === id) === index);
