import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isRecord } from "../../json.ts";
import { decodeBase64, orNull } from "../explain/encodings.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { listBodyCandidates, MIN_BODY_SCORE, readBytes } from "./body-candidates.ts";
import { type HeaderPair, isEmptySignature } from "./delivery.ts";
import { mentionsServiceHeader, readHeaderFields, readHeaderList } from "./header-notation.ts";
import { hasOwnSignature, isHttpRequest, parseHttpRequest } from "./http-request.ts";
import { addFacts, hasBothNamed, isAboutDelivery, type Parts } from "./logged-delivery.ts";
import {
  findSignatureValues,
  hasDigest,
  isDigest,
  isNameOfReceived,
  isNameOfTimestamp,
  listValuesInText,
} from "./signature-values.ts";
import {
  findBodiesInText,
  findHeadersInText,
  findSpans,
  parseLiteral,
  readTextFacts,
  type Span,
} from "./text-record.ts";

/** Values that one record may have, and text that is searched in it: both far above what a delivery has. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 64;

/** Deliveries, and parts that did not make one yet. */
export interface WalkResult extends Parts {
  readonly deliveries: readonly Parts[];
}

export const EMPTY_RESULT: WalkResult = {
  deliveries: [],
  headers: null,
  bodies: [],
  parsedBody: null,
  facts: new Map(),
};

/** Looks for headers and a body in a value of any form. Bounded in values and depth, never by a clock. */
export class Walk {
  readonly #lacksHeaderNames: boolean;
  #left = MAX_VALUES;

  /** @param lacksHeaderNames whether the whole text has none of the names of the interface, so that other names stand for them */
  constructor(lacksHeaderNames = false) {
    this.#lacksHeaderNames = lacksHeaderNames;
  }

  visit(value: unknown, path: string, depth: number): WalkResult {
    this.#left -= 1;
    if (this.#left < 0 || depth > MAX_DEPTH) return EMPTY_RESULT;
    if (typeof value === "string") return this.#visitText(value, path, depth);
    const bytes = readBytes(value);
    const text = bytes?.toString("utf8") ?? "";
    if (mentionsServiceHeader(text)) return this.#visitText(text, path, depth);
    if (value === null || bytes) return toBodies(path, value);
    if (Array.isArray(value)) return this.#visitList(value, path, depth);
    return isRecord(value) ? this.#visitRecord(value, path, depth) : EMPTY_RESULT;
  }

  #visitText(text: string, path: string, depth: number): WalkResult {
    if (text.length < 24) return toBodies(path, text);
    if (!mentionsServiceHeader(text)) {
      const inner = this.#decode(text);
      if (inner !== null) return this.visit(inner, path, depth + 1);
      if (!hasDigest(text) || isDigest(text.trim()) || BODY_FIELD.test(path)) return toBodies(path, text);
      if (!this.#lacksHeaderNames) return { ...toBodies(path, text), facts: new Map(listValuesInText(text)) };
      const result = this.#visitPrinted(text, path, depth);
      const isDelivery = result.deliveries.length > 0 || isAboutDelivery(result.facts);
      return isDelivery ? result : { ...toBodies(path, text), facts: result.facts };
    }
    const message = removeIndentation(text);
    const [line = ""] = message.split("\n", 1);
    if (isHttpRequest(line.trimEnd()) && /\r?\n\r?\n/.test(text)) {
      const request = orNull(() => parseHttpRequest(Buffer.from(message), "the request"));
      if (request) {
        // In a log, other lines follow.
        const after = text.slice(text.search(/\r?\n\r?\n/));
        const requestBodies = hasOwnSignature(request)
          ? [{ bytes: Buffer.alloc(0), score: MIN_BODY_SCORE }]
          : [
              { bytes: request.body, score: 9 },
              ...listBodyCandidates("body", request.body.toString(), false),
            ];
        const bodies = [...requestBodies, ...findBodiesInText(text, findSpans(text))];
        const facts = new Map([...readTextFacts(line, []), ...readTextFacts(after, findSpans(after))]);
        return {
          ...EMPTY_RESULT,
          deliveries: [{ ...EMPTY_RESULT, headers: markMissing(request.headers), bodies, facts }],
        };
      }
    }
    return this.#visitPrinted(text, path, depth);
  }

  /** Headers and body of one record make a delivery. */
  #combine(result: WalkResult): WalkResult {
    const isComplete = result.headers !== null || (this.#lacksHeaderNames && hasBothNamed(result.facts));
    if (!isComplete || !result.bodies.some(({ score }) => score >= MIN_BODY_SCORE)) return result;
    return { ...EMPTY_RESULT, deliveries: [...result.deliveries, result] };
  }

  /** A value that a program printed, or text around one. */
  #visitPrinted(text: string, path: string, depth: number): WalkResult {
    const literal = /^\s*[[{"]/.test(text) ? parseLiteral(text.trim()) : undefined;
    return literal === undefined
      ? this.#visitLogText(text, path, depth)
      : this.visit(literal, path, depth + 1);
  }

  /** Text of a log: deliveries that are printed in it, otherwise the parts of one in any notation. */
  #visitLogText(text: string, path: string, depth: number): WalkResult {
    const spans = findSpans(text);
    const facts = new Map(readTextFacts(text, spans));
    const objects = spans.map((span): PrintedObject => {
      const value = parseLiteral(span.text);
      return { span, result: value === undefined ? EMPTY_RESULT : this.visit(value, path, depth + 1) };
    });
    const deliveries = objects.flatMap(({ result }) => result.deliveries);
    if (deliveries.length === 0) return this.#combine(this.#findParts(text, facts, objects));
    // Beside a whole delivery, another object is not its body, but for example the response, or what was computed.
    const objectFacts = objects
      .filter(({ result }) => result.deliveries.length === 0)
      .flatMap(({ result }) => [...result.facts])
      .filter((fact) => isStatus(fact) || isDigest(fact[1]));
    const around = new Map([...objectFacts, ...facts]);
    return { ...EMPTY_RESULT, deliveries: deliveries.map((delivery) => addFacts(delivery, around)) };
  }

  /** Headers, a body and facts in a text of a log, and in the objects that are printed in it. */
  #findParts(
    text: string,
    textFacts: ReadonlyMap<string, string>,
    objects: readonly PrintedObject[],
  ): WalkResult {
    const withoutSignature = objects.find(({ result }) => result.headers?.some(isEmptySignature));
    const headers = withoutSignature?.result.headers ?? findHeadersInText(text);
    // Under other names, the signatures can be in one object, and the body in it or after it.
    const areInObjects = this.#lacksHeaderNames && !findSignatureValues(textFacts).isAnyNamed;
    const signed = objects.filter(
      ({ result }) => areInObjects && findSignatureValues(result.facts).isAnyNamed,
    );
    const unsigned = objects.filter((object) => !signed.includes(object)).map(({ span }) => span);
    const bodySpans = unsigned.filter((span) => !mentionsServiceHeader(span.text));
    return {
      ...EMPTY_RESULT,
      headers: headers.length > 0 ? headers : null,
      bodies: [
        ...signed.flatMap(({ result }) => result.bodies),
        ...findBodiesInText(blankOut(signed, text), bodySpans),
      ],
      parsedBody: findParsedBody(signed.map(({ result }) => result)),
      facts: new Map([...textFacts, ...signed.flatMap(({ result }) => [...result.facts])]),
    };
  }

  /** The record that base64 holds. */
  #decode(text: string): string | null {
    const trimmed = text.trim();
    if (!/^[A-Za-z0-9+/_\r\n-]{48,}={0,2}$/.test(trimmed)) return null;
    const bytes = decodeBase64(trimmed.replace(/\s+/g, ""));
    if (!bytes || this.#left < bytes.length / 64) return null;
    this.#left -= Math.ceil(bytes.length / 64);
    const decoded = bytes.toString("utf8");
    return mentionsServiceHeader(decoded) ? decoded : null;
  }

  #visitList(list: readonly unknown[], path: string, depth: number): WalkResult {
    const headers = readHeaderList(list);
    if (headers)
      return this.#combine({
        ...EMPTY_RESULT,
        headers: markMissing(headers.headers),
        facts: new Map(headers.headers.filter(isStatus)),
        bodies: headers.body === null ? [] : listBodyCandidates("body", headers.body, false),
      });
    const all = list.map((each) => this.visit(each, path, depth + 1));
    const deliveries = all.flatMap((each) => each.deliveries);
    const orphans = all.filter((each) => each.headers !== null);
    const bodies = all.flatMap((each) => each.bodies);
    // A pair of headers and body, not a list of records.
    if (orphans.length === 1 && bodies.length > 0 && list.length <= 4)
      return this.#combine({ ...(orphans[0] as WalkResult), deliveries, bodies });
    if (orphans.length === 1 && list.length === 1) return { ...(orphans[0] as WalkResult), deliveries };
    return {
      ...EMPTY_RESULT,
      deliveries: [...deliveries, ...orphans],
      bodies: list.length === 1 ? bodies : bodies.filter(({ score }) => score > MIN_BODY_SCORE),
    };
  }

  #visitRecord(record: Fields, path: string, depth: number): WalkResult {
    const direct = readDirectHeaders(record);
    const fields = Object.entries(record)
      .filter((field) => !direct.fields.has(field[0]) || isMissingTimestamp(field))
      .map((field) => this.#visitField(record, field, path, depth + 1));
    const facts = new Map(fields.flatMap((field) => [...field.facts]));
    const deliveries = fields.flatMap((field) => field.deliveries);
    // Whole deliveries have their headers and bodies: those of other fields are dropped, and their facts are of each delivery.
    if (deliveries.length > 0)
      return { ...EMPTY_RESULT, deliveries: deliveries.map((delivery) => addFacts(delivery, facts)) };
    // Of several lists, the longest: format 1.0 of API Gateway has all values of a header in one of two.
    const [headers = null] = [direct, ...fields]
      .flatMap((part) => (part.headers ? [part.headers] : []))
      .toSorted((one, other) => other.length - one.length);
    const bodies = fields.flatMap((field) => field.bodies);
    return this.#combine({ ...EMPTY_RESULT, headers, bodies, parsedBody: findParsedBody(fields), facts });
  }

  /** What one field of a record has, with the name of the field before the names of its facts. */
  #visitField(record: Fields, [name, value]: Field, recordPath: string, depth: number): WalkResult {
    const path = recordPath === "" ? name : `${recordPath}.${name}`;
    if (isBase64Text(value, record)) return toBodies(path, value, BASE64_FIELD.test(name));
    const result = this.visit(value, path, depth);
    if (result.deliveries.length > 0) return { ...EMPTY_RESULT, deliveries: result.deliveries };
    // A gateway that says that its body is not encoded gives the receiver the text itself.
    const isTextItself = record.isBase64Encoded === false && name === "body";
    const bodies = result.bodies.filter(({ written }) => !isTextItself || written === undefined);
    if (result.headers === null && isParsedBody(value, name, record))
      return {
        ...EMPTY_RESULT,
        // Values of a parsed body are no bodies, except its text in a wrapper.
        bodies: bodies.filter(({ score }) => score >= WRAPPED_BODY_SCORE),
        parsedBody: Buffer.from(JSON.stringify(value)),
      };
    return { ...result, bodies, facts: new Map(listFieldFacts(name, value, result.facts)) };
  }
}

/** Without that of the first line, which a list of headers has below a heading, and which would continue a header. */
function removeIndentation(text: string): string {
  const trimmed = text.trimStart();
  const before = text.slice(0, text.length - trimmed.length);
  const indentation = before.slice(before.lastIndexOf("\n") + 1);
  return indentation === "" ? trimmed : trimmed.replaceAll(`\n${indentation}`, "\n");
}

/** A value that can be the body, and nothing else. */
const toBodies = (path: string, value: unknown, isBase64 = false): WalkResult => ({
  ...EMPTY_RESULT,
  bodies: listBodyCandidates(path, value, isBase64),
});

/** An object in a text, and what it has. */
interface PrintedObject {
  readonly span: Span;
  readonly result: WalkResult;
}

type Fields = Readonly<Record<string, unknown>>;
type Field = readonly [name: string, value: unknown];

/** The headers that a record has as fields, and the names of those fields. */
function readDirectHeaders(record: Fields) {
  const direct = readHeaderFields(record);
  if (!direct) return { headers: null, fields: new Set<string>() };
  const names = Object.keys(record);
  const hasAllHeaders = direct.fields.size === names.length || names.some((name) => CGI_HEADER.test(name));
  return hasAllHeaders ? { ...direct, headers: markMissing(direct.headers) } : direct;
}

/** Whether a value is text of a record that says that it has its body, and perhaps other text, in base64. */
const isBase64Text = (value: unknown, record: Fields): value is string =>
  typeof value === "string" &&
  (record.isBase64Encoded === true || record.encoding === "base64" || "mimeType" in record) &&
  !mentionsServiceHeader(value);

/** Whether a value without headers is a body after parsing. */
const isParsedBody = (value: unknown, name: string, record: Fields): boolean =>
  isRecord(value) && (BODY_FIELD.test(name) || (name === "data" && "headers" in record));

/** As logs write a value that is not there. */
const isNothing = (value: unknown): boolean => value === null || value === "" || value === "-";

const isMissingTimestamp = ([name, value]: Field): boolean => isNothing(value) && isNameOfTimestamp(name);

/** What a field says: the facts in it, otherwise its own text. */
function listFieldFacts(name: string, value: unknown, inner: ReadonlyMap<string, string>) {
  if (inner.size > 0) return [...inner].map(([key, text]) => [`${name}.${key}`, text] as const);
  // Nothing under a name of a signature or a timestamp says that none arrived.
  const isMissing = (isNothing(value) && isNameOfReceived(name)) || isMissingTimestamp([name, value]);
  const text = isMissing ? "null" : typeof value === "object" ? "" : String(value);
  return text !== "" && text.length <= MAX_FACT_LENGTH ? [[name, text] as const] : [];
}

const findParsedBody = (results: readonly WalkResult[]): Buffer | null =>
  results.find(({ parsedBody }) => parsedBody !== null)?.parsedBody ?? null;

/** The text with spaces in place of objects, so that the places of all others stay right. */
function blankOut(objects: readonly PrintedObject[], text: string): string {
  let blanked = text;
  for (const { span } of objects)
    blanked = blanked.slice(0, span.start) + " ".repeat(span.end - span.start) + blanked.slice(span.end);
  return blanked;
}

/** A list of headers without the signature shows that none arrived. */
const markMissing = (headers: readonly HeaderPair[]): readonly HeaderPair[] =>
  headerValues(headers, SIGNATURE_HEADER).length > 0 ? headers : [...headers, [SIGNATURE_HEADER, ""]];

const isStatus = ([name]: readonly [string, string]): boolean => /status/i.test(name);

/** The variables of CGI (RFC 3875 §4.1.18), which Django and Rack print, have all headers of a request. */
const CGI_HEADER = /^HTTP_(?:HOST|USER_AGENT)$/;

const MAX_FACT_LENGTH = 200;

/** Of a field such as `body.text` with JSON. */
const WRAPPED_BODY_SCORE = 5.5;
/** A field whose object is the parsed body, and whose text is the body. */
const BODY_FIELD = /(?:body|payload)$/i;
/** A field whose text is in base64 if its record says so. */
const BASE64_FIELD = /body|payload|text|content|data/i;

/** The fields of a record without a delivery, by their paths. */
export const readFacts = (record: unknown): ReadonlyMap<string, string> =>
  typeof record === "string"
    ? new Map(readTextFacts(record, findSpans(record)))
    : new Walk().visit(record, "", 0).facts;
