import { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isRecord } from "../../json.ts";
import { decodeBase64, orNull } from "../explain/encodings.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { type BodyCandidate, listBodyCandidates, MIN_BODY_SCORE, readBytes } from "./body-candidates.ts";
import { type HeaderPair, isEmptySignature } from "./delivery.ts";
import { mentionsServiceHeader, readHeaderFields, readHeaderList } from "./header-notation.ts";
import { hasOwnSignature, isHttpRequest, parseHttpRequest } from "./http-request.ts";
import { addFacts, hasBothNamed, isAboutDelivery, type Parts } from "./logged-delivery.ts";
import {
  findSignatureValues,
  hasDigest,
  isDigest,
  isNameOfReceived,
  listValuesInText,
} from "./signature-values.ts";
import {
  findBodiesInText,
  findHeadersInText,
  findSpans,
  parseLiteral,
  readTextFacts,
} from "./text-record.ts";

/** Values that one record may have, and text that is searched in it: both far above what a delivery has. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 64;

/** Deliveries, and parts that did not make one yet. */
export interface Found extends Parts {
  readonly deliveries: readonly Parts[];
}

export const NOTHING: Found = {
  deliveries: [],
  headers: null,
  bodies: [],
  parsedBody: null,
  facts: new Map(),
};

/** Looks for headers and a body in a value of any form. Bounded in values and depth, never by a clock. */
export class Walk {
  readonly #isPlain: boolean;
  #left = MAX_VALUES;

  /** @param isPlain whether the whole text has none of the names of the interface, so that other names stand for them */
  constructor(isPlain = false) {
    this.#isPlain = isPlain;
  }

  visit(value: unknown, path: string, depth: number): Found {
    this.#left -= 1;
    if (this.#left < 0 || depth > MAX_DEPTH) return NOTHING;
    if (typeof value === "string") return this.#visitText(value, path, depth);
    if (value === null) return { ...NOTHING, bodies: listBodyCandidates(path, value, false) };
    const bytes = readBytes(value);
    if (bytes) {
      const text = bytes.toString("utf8");
      return mentionsServiceHeader(text)
        ? this.#visitText(text, path, depth)
        : { ...NOTHING, bodies: listBodyCandidates(path, value, false) };
    }
    if (Array.isArray(value)) return this.#visitList(value, path, depth);
    return isRecord(value) ? this.#visitRecord(value, path, depth) : NOTHING;
  }

  #visitText(text: string, path: string, depth: number): Found {
    const asBody = (): Found => ({ ...NOTHING, bodies: listBodyCandidates(path, text, false) });
    if (text.length < 24) return asBody();
    if (!mentionsServiceHeader(text)) {
      const inner = this.#decode(text);
      if (inner !== null) return this.visit(inner, path, depth + 1);
      if (!hasDigest(text) || isDigest(text.trim()) || BODY_NAME.test(path)) return asBody();
      if (!this.#isPlain) return { ...asBody(), facts: new Map(listValuesInText(text)) };
      const found = this.#visitPrinted(text, path, depth);
      const isDelivery = found.deliveries.length > 0 || isAboutDelivery(found.facts);
      return isDelivery ? found : { ...asBody(), facts: found.facts };
    }
    const [line = ""] = text.trimStart().split("\n", 1);
    if (isHttpRequest(line.trimEnd()) && /\r?\n\r?\n/.test(text)) {
      const request = orNull(() => parseHttpRequest(Buffer.from(text.trimStart()), "the request"));
      if (request) {
        // In a log, other lines follow.
        const after = text.slice(text.search(/\r?\n\r?\n/));
        const own = hasOwnSignature(request)
          ? [{ bytes: Buffer.alloc(0), score: MIN_BODY_SCORE }]
          : [
              { bytes: request.body, score: 9 },
              ...listBodyCandidates("body", request.body.toString(), false),
            ];
        const bodies = [...own, ...findBodiesInText(text, findSpans(text))];
        const facts = new Map([...readTextFacts(line, []), ...readTextFacts(after, findSpans(after))]);
        return {
          ...NOTHING,
          deliveries: [{ ...NOTHING, headers: markMissing(request.headers), bodies, facts }],
        };
      }
    }
    return this.#visitPrinted(text, path, depth);
  }

  /** Headers and body of one record make a delivery. */
  #combine(found: Found): Found {
    const isComplete = found.headers !== null || (this.#isPlain && hasBothNamed(found.facts));
    if (!isComplete || !found.bodies.some(({ score }) => score >= MIN_BODY_SCORE)) return found;
    return { ...NOTHING, deliveries: [...found.deliveries, found] };
  }

  /** A value that a program printed, or text around one. */
  #visitPrinted(text: string, path: string, depth: number): Found {
    const literal = /^\s*[[{"]/.test(text) ? parseLiteral(text.trim()) : undefined;
    return literal === undefined
      ? this.#visitLogText(text, path, depth)
      : this.visit(literal, path, depth + 1);
  }

  /** Text of a log: a record that is printed in it, or headers and a body in any notation. */
  #visitLogText(text: string, path: string, depth: number): Found {
    const spans = findSpans(text);
    const plain = new Map(readTextFacts(text, spans));
    const values = spans.map(({ text: span }) => {
      const value = parseLiteral(span);
      return value === undefined ? NOTHING : this.visit(value, path, depth + 1);
    });
    const printed = values.flatMap(({ deliveries }) => deliveries);
    if (printed.length > 0) {
      // Beside a whole delivery, another object is not its body, but for example the response, or what was computed.
      const others = values.flatMap(({ deliveries, facts }) =>
        (deliveries.length > 0 ? [] : [...facts]).filter((fact) => isOfStatus(fact) || isDigest(fact[1])),
      );
      const around = new Map([...others, ...plain]);
      return { ...NOTHING, deliveries: printed.map((each) => addFacts(each, around)) };
    }
    const listed = values.find(({ headers: own }) => own?.some(isEmptySignature))?.headers;
    const headers = listed ?? findHeadersInText(text);
    // Under other names, the signatures can be in one object, and the body in it or after it.
    const isSearched = this.#isPlain && !findSignatureValues(plain).isAnyNamed;
    const isNamed = (index: number) =>
      isSearched && findSignatureValues(values[index]?.facts ?? []).isAnyNamed;
    const named = values.filter((_, index) => isNamed(index));
    const rest = spans.reduce(
      (left, { start, end }, index) =>
        isNamed(index) ? left.slice(0, start) + " ".repeat(end - start) + left.slice(end) : left,
      text,
    );
    const others = spans.filter(({ text: span }, index) => !mentionsServiceHeader(span) && !isNamed(index));
    return this.#combine({
      ...NOTHING,
      headers: headers.length > 0 ? headers : null,
      bodies: [...named.flatMap(({ bodies }) => bodies), ...findBodiesInText(rest, others)],
      parsedBody: named.find(({ parsedBody }) => parsedBody !== null)?.parsedBody ?? null,
      facts: new Map([...plain, ...named.flatMap(({ facts }) => [...facts])]),
    });
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

  #visitList(list: readonly unknown[], path: string, depth: number): Found {
    const headers = readHeaderList(list);
    if (headers)
      return this.#combine({
        ...NOTHING,
        headers: markMissing(headers.headers),
        facts: new Map(headers.headers.filter(isOfStatus)),
        bodies: headers.body === null ? [] : listBodyCandidates("body", headers.body, false),
      });
    const all = list.map((each) => this.visit(each, path, depth + 1));
    const deliveries = all.flatMap((each) => each.deliveries);
    const orphans = all.filter((each) => each.headers !== null);
    const bodies = all.flatMap((each) => each.bodies);
    // A pair of headers and body, not a list of records.
    if (orphans.length === 1 && bodies.length > 0 && list.length <= 4)
      return this.#combine({ ...(orphans[0] as Found), deliveries, bodies });
    if (orphans.length === 1 && list.length === 1) return { ...(orphans[0] as Found), deliveries };
    return {
      ...NOTHING,
      deliveries: [...deliveries, ...orphans],
      bodies: list.length === 1 ? bodies : bodies.filter(({ score }) => score > MIN_BODY_SCORE),
    };
  }

  #visitRecord(record: Readonly<Record<string, unknown>>, path: string, depth: number): Found {
    const own = readHeaderFields(record);
    const isBase64 = record.isBase64Encoded === true || record.encoding === "base64" || "mimeType" in record;
    const names = Object.keys(record);
    const isOfHeaders = own?.fields.size === names.length || names.some((name) => CGI_HEADER.test(name));
    const headers = own ? [isOfHeaders ? markMissing(own.headers) : own.headers] : [];
    const deliveries: Parts[] = [];
    const bodies: BodyCandidate[] = [];
    const facts = new Map<string, string>();
    let parsedBody: Buffer | null = null;
    for (const [name, value] of Object.entries(record)) {
      if (own?.fields.has(name)) continue;
      const inner = path === "" ? name : `${path}.${name}`;
      if (isBase64 && typeof value === "string" && !mentionsServiceHeader(value)) {
        bodies.push(...listBodyCandidates(inner, value, /body|payload|text|content|data/i.test(name)));
        continue;
      }
      const found = this.visit(value, inner, depth + 1);
      deliveries.push(...found.deliveries);
      const isParsed =
        isRecord(value) &&
        (BODY_NAME.test(name) || (name === "data" && "headers" in record)) &&
        !found.headers &&
        found.deliveries.length === 0;
      // Values of a parsed body are no bodies, except its text in a wrapper. A gateway that says that its body is not encoded
      // gives the receiver the text itself.
      const isAsWritten = record.isBase64Encoded === false && name === "body";
      bodies.push(
        ...found.bodies.filter(
          ({ score, written }) =>
            !(isParsed && score < WRAPPED_BODY_SCORE) && !(isAsWritten && written !== undefined),
        ),
      );
      if (isParsed) {
        parsedBody ??= Buffer.from(JSON.stringify(value));
        continue;
      }
      if (found.headers) headers.push(found.headers);
      parsedBody ??= found.parsedBody;
      if (found.deliveries.length > 0) continue;
      for (const [key, text] of found.facts) facts.set(`${name}.${key}`, text);
      const isNothing = (value === null || value === "") && isNameOfReceived(name);
      const text = isNothing ? "null" : typeof value === "object" ? "" : String(value);
      if (found.facts.size === 0 && text !== "" && text.length <= MAX_FACT_LENGTH) facts.set(name, text);
    }
    // Of several lists, the longest: format 1.0 of API Gateway has all values of a header in one of two.
    const [longest = null] = headers.toSorted((one, other) => other.length - one.length);
    const joined = this.#combine({ deliveries: [], headers: longest, bodies, parsedBody, facts });
    if (deliveries.length === 0) return joined;
    return { ...NOTHING, deliveries: deliveries.map((each) => addFacts(each, facts)) };
  }
}

/** A list of headers without the signature shows that none arrived. */
const markMissing = (headers: readonly HeaderPair[]): readonly HeaderPair[] =>
  headerValues(headers, SIGNATURE_HEADER).length > 0 ? headers : [...headers, [SIGNATURE_HEADER, ""]];

const isOfStatus = ([name]: readonly [string, string]): boolean => /status/i.test(name);

/** The variables of CGI (RFC 3875 §4.1.18), which Django and Rack print, have all headers of a request. */
const CGI_HEADER = /^HTTP_(?:HOST|USER_AGENT)$/;

const MAX_FACT_LENGTH = 200;

/** Of a field such as `body.text` with JSON. */
const WRAPPED_BODY_SCORE = 5.5;
const BODY_NAME = /(?:body|payload)$/i;

/** The fields of a record without a delivery, by their paths. */
export const readFacts = (record: unknown): ReadonlyMap<string, string> =>
  typeof record === "string"
    ? new Map(readTextFacts(record, findSpans(record)))
    : new Walk().visit(record, "", 0).facts;
