import { Buffer } from "../buffer.ts";
import { type HeaderList, headerList, headerValues, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { type Judgement, type Receipt, verify } from "../signature.ts";
import { BASE_STRINGS } from "./base-strings.ts";
import { BodyVariants, payloadOf } from "./bodies.ts";
import { Body } from "./body.ts";
import { type Cause, type CauseId, cause } from "./causes.ts";
import { countedBytes } from "./content-length.ts";
import { difference } from "./hexdump.ts";
import { likelyCauses } from "./likely.ts";
import { type Dimensions, type Found, search } from "./search.ts";
import { type Suspect, secretVariants } from "./secrets.ts";
import { shorten } from "./shorten.ts";
import { signatureReadings } from "./signatures.ts";
import { timestampVariants } from "./timestamps.ts";
import { maxWork, Work } from "./work.ts";

/** A delivery to explain, and what may help. */
export interface Case extends Receipt {
  /** Secrets that may have been used in place of the right one. */
  readonly suspects?: readonly Suspect[] | undefined;
  /** What the list of endpoints shows of the right one (interface §2). */
  readonly secretPrefix?: string | undefined;
  /** Asked again and again; true ends the search, for a caller that has a deadline. */
  readonly shouldStop?: (() => boolean) | undefined;
}

type ListedCase = Case & { readonly headers: HeaderList };

/** A judgement, and why it came to that. Without a cause it is unexplained. */
export interface Explanation extends Judgement {
  readonly causes: readonly Cause[];
  /** Variations tried. */
  readonly tried: number;
  /** False where a bound ended the search before every variation was tried, or where the explanation failed. */
  readonly complete: boolean;
  /** Why the explanation failed, which is a fault of this program; null where it did not. */
  readonly failure: string | null;
}

type Findings = Omit<Explanation, keyof Judgement>;

/**
 * Judges a delivery and, when its signature does not fit, searches for what was done to body, secret, timestamp, base
 * string or signature: fewest faults first, at most two at once (product.md §6). The search is bounded by counted work,
 * never by a clock: the same input has the same result.
 *
 * @throws TypeError for arguments that `verify` refuses; never for what was delivered
 */
export function explain(asked: Case): Explanation {
  const given: ListedCase = { ...asked, headers: headerList(asked.headers) };
  const judgement = verify(given);
  const { verdict } = judgement;
  if (verdict === "valid" || verdict === "stale") return { ...judgement, ...NOTHING_TO_FIND };
  try {
    const bytes = typeof given.body === "string" ? Buffer.from(given.body) : given.body;
    const work = new Work(maxWork(bytes.byteLength), given.shouldStop);
    return { ...judgement, ...findCauses(given, new Body(bytes, work), work) };
  } catch (error) {
    // The judgement stands, whatever becomes of its explanation.
    return { ...judgement, ...NOTHING_TO_FIND, complete: false, failure: shorten(String(error)) };
  }
}

const NOTHING_TO_FIND: Findings = { causes: [], tried: 0, complete: true, failure: null };

function findCauses(given: ListedCase, body: Body, work: Work): Findings {
  const { headers, secrets, secretPrefix } = given;
  const readings = signatureReadings(headerValues(headers, SIGNATURE_HEADER), work);
  const { found, tried } = search(readings, dimensionsOf(given, body, work), work);
  const causes = found
    ? provedCauses(found, body, given)
    : likelyCauses({ body, headers, secrets, secretPrefix });
  const complete = found !== null || work.isComplete;
  return { causes: once([...causes, ...headerFaults(given)]), tried, complete, failure: null };
}

function dimensionsOf({ headers, secrets, suspects = [] }: ListedCase, body: Body, work: Work): Dimensions {
  const timestamps = headerValues(headers, TIMESTAMP_HEADER);
  return {
    bodies: new BodyVariants(body, work),
    secrets: secretVariants(secrets, suspects, work),
    timestamps: timestampVariants(timestamps, () => payloadOf(body, work), work),
    bases: BASE_STRINGS,
  };
}

/** What is wrong with the headers whatever was signed: nothing has to be undone to see it. */
function headerFaults({ headers }: ListedCase): Cause[] {
  return (
    [
      [TIMESTAMP_HEADER, "timestamp"],
      [SIGNATURE_HEADER, "signature"],
    ] as const
  ).flatMap(([name, kind]) => {
    const values = headerValues(headers, name);
    const [value = ""] = values;
    if (values.length > 1)
      return cause(`${kind}.doubled`, "proved", `${name} is there ${values.length} times`);
    if (value.trim() === "")
      return cause(`${kind}.missing`, "proved", values.length ? `${name} is empty` : `${name} is not there`);
    return value.trim() === value
      ? []
      : cause(`${kind}.whitespace`, "proved", `there is white space around the value of ${name}`);
  });
}

/** Each step of what fits is a cause: without undoing it the signature would not fit. */
function provedCauses({ body: signed, steps }: Found, body: Body, given: ListedCase): Cause[] {
  const fits = `the signature fits ${steps.map(({ undone }) => undone).join(", with ")}`;
  const firstOfBody = steps.find(({ id }) => id.startsWith("body."));
  return steps.map((step) => {
    if (step !== firstOfBody) return cause(step.id, "proved", fits);
    const evidence = [fits, told(body, signed.value, given), arrived(given, body, signed.value)];
    return cause(whoPrinted(step.id, given, body), "proved", evidence.filter(Boolean).join("\n"));
  });
}

/** Bytes of both bodies, for each secret, that are searched for secrets before any of them is shown. */
const MAX_SEARCHED_BYTES = 200 << 20;

/** Where the bodies differ; without their bytes where a secret stands among them. */
function told({ bytes }: Body, signed: Buffer, { secrets, suspects = [] }: ListedCase): string {
  const all = [...secrets, ...suspects.map(({ secret }) => secret)].filter((secret) => secret !== "");
  const isSearched = all.length * (bytes.length + signed.length) <= MAX_SEARCHED_BYTES;
  const holdsSecret = !isSearched || all.some((secret) => bytes.includes(secret) || signed.includes(secret));
  const [where = "", ...dumps] = difference(bytes, signed);
  return [where, ...(holdsSecret ? [] : dumps)].join("\n");
}

/** Whether the body was changed before it was sent or after, as far as its Content-Length tells. */
function arrived(given: ListedCase, body: Body, signed: Buffer): string | null {
  const length = countedBytes(given.headers);
  if (body.bytes.length === signed.length) return null;
  if (length === body.bytes.length) return `Content-Length is ${length}: it was sent as it is here`;
  return length === signed.length ? `Content-Length is ${length}: it was changed after it was sent` : null;
}

/** A body that has its counted length arrived as it was sent: it was the sender who signed another printing of it. */
const whoPrinted = (id: CauseId, given: ListedCase, body: Body): CauseId =>
  id === "body.reserialized" && countedBytes(given.headers) === body.bytes.length ? "base.reserialized" : id;

const once = (causes: readonly Cause[]): readonly Cause[] =>
  causes.filter(({ id }, index) => causes.findIndex((other) => other.id === id) === index);
