import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type HeaderList, headerList, headerValues, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { type Judgement, type Receipt, verify } from "../signature.ts";
import { BASE_STRINGS } from "./base-strings.ts";
import { areAllMade, bodyVariants } from "./bodies.ts";
import { Body } from "./body.ts";
import { type Cause, type CauseId, cause } from "./causes.ts";
import { countedBytes } from "./content-length.ts";
import { difference } from "./hexdump.ts";
import { likelyCauses } from "./likely.ts";
import { type Dimensions, type Found, type Searched, search } from "./search.ts";
import { type Suspect, secretVariants } from "./secrets.ts";
import { signatureReadings } from "./signatures.ts";
import { timestampVariants } from "./timestamps.ts";

/** A delivery to explain, and what may help. */
export interface Case extends Receipt {
  /** Secrets that may have been used in place of the right one. */
  readonly suspects?: readonly Suspect[] | undefined;
  /** What the list of endpoints shows of the right one (interface §2). */
  readonly secretPrefix?: string | undefined;
}

type ListedCase = Case & { readonly headers: HeaderList };

/** A judgement, and why it came to that. Without a cause it is unexplained. */
export interface Explanation extends Judgement {
  readonly causes: readonly Cause[];
  /** Hypotheses tried. */
  readonly tried: number;
  /** False where the body was too large to try every pair of faults. */
  readonly complete: boolean;
}

/**
 * Judges a delivery and, when its signature does not fit, searches for what was done to body, secret, timestamp, base
 * string or signature: fewest faults first, at most two at once (product.md §6).
 */
export function explain(asked: Case): Explanation {
  const given: ListedCase = { ...asked, headers: headerList(asked.headers) };
  const judgement = verify(given);
  const { verdict } = judgement;
  if (verdict === "valid" || verdict === "stale")
    return { ...judgement, causes: [], tried: 0, complete: true };
  const { headers, secrets, secretPrefix } = given;
  const body = new Body(typeof given.body === "string" ? Buffer.from(given.body) : given.body);
  const readings = signatureReadings(headerValues(headers, SIGNATURE_HEADER));
  const { found, tried, complete } =
    readings.length === 0 ? NOT_SEARCHED : search(readings, dimensionsOf(given, body));
  const effort = { tried, complete: complete && (found !== null || areAllMade(body.bytes.length)) };
  const causes = found
    ? provedCauses(found, body, given)
    : likelyCauses({ body, headers, secrets, secretPrefix });
  return { ...judgement, ...effort, causes: once([...causes, ...headerFaults(given)]) };
}

/** Without a digest to find there is nothing to search for. */
const NOT_SEARCHED: Searched = { found: null, tried: 0, complete: true };

function dimensionsOf({ headers, secrets, suspects = [] }: ListedCase, body: Body): Dimensions {
  const bodies = bodyVariants(body.bytes);
  return {
    bodies,
    secrets: secretVariants(secrets, suspects),
    timestamps: timestampVariants(headerValues(headers, TIMESTAMP_HEADER), payloadOf(body, bodies)),
    bases: BASE_STRINGS,
  };
}

/** The payload in the body, also where the body has to be unwrapped first; undefined where there is none. */
function payloadOf(body: Body, [, unwrapped]: Dimensions["bodies"]): unknown {
  if (isRecord(body.json?.value)) return body.json.value;
  for (const { value } of unwrapped) {
    const payload = new Body(value).json?.value;
    if (isRecord(payload)) return payload;
  }
  return undefined;
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

/** Where the bodies differ; without their bytes where a secret stands among them. */
function told({ bytes }: Body, signed: Buffer, { secrets, suspects = [] }: ListedCase): string {
  const all = [...secrets, ...suspects.map(({ secret }) => secret)].filter((secret) => secret !== "");
  const holdsSecret = all.some((secret) => bytes.includes(secret) || signed.includes(secret));
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
