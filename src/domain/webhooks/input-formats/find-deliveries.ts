import { usageError } from "../../errors.ts";
import { isRecord, valueAt } from "../../json.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { listBodyCandidates } from "./body-candidates.ts";
import type { HeaderPair } from "./delivery.ts";
import { readHeaderFields, readHeaderList } from "./header-notation.ts";
import { addFacts, isAboutDelivery, type LoggedDelivery, type Parts, toDelivery } from "./logged-delivery.ts";
import { isNameOfComputed, isNameOfReceived } from "./signature-values.ts";
import { findSpans, parseLiteral, readNamedText } from "./text-record.ts";
import { EMPTY_RESULT, Walk, type WalkResult } from "./walk.ts";

/** What `--field` names, each a path of a record of a log. */
export const FIELD_NAMES = [
  "body",
  "headers",
  "timestamp",
  "signature",
  "computed",
  "event",
  "time",
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];
export type FieldPaths = Readonly<Partial<Record<FieldName, string>>>;

export interface FindOptions {
  readonly paths: FieldPaths;
  /** Whether the whole text has none of the names of the interface, so that other names stand for them. */
  readonly lacksHeaderNames?: boolean;
}

/**
 * The deliveries in a value of any form: headers with the names of interface §6, in whatever notation, and a body near
 * them. Bounded in values and depth, never by a clock.
 *
 * @param around what other records say of them
 */
export function findDeliveries(
  value: unknown,
  options: FindOptions,
  around: ReadonlyMap<string, string> = new Map(),
): readonly LoggedDelivery[] {
  const found =
    Object.keys(options.paths).length > 0
      ? readFields(value, options)
      : new Walk(options.lacksHeaderNames).visit(value, "", 0);
  const { deliveries, headers, facts } = found;
  const isNamedOtherwise =
    options.lacksHeaderNames === true && deliveries.length === 0 && isAboutDelivery(facts);
  const all = headers || isNamedOtherwise ? [...deliveries, found] : deliveries;
  return all.length > 0 ? all.map((each) => toDelivery(addFacts(each, around))) : findWithoutHeaders(found);
}

/** A record that has the headers of a request and an event, and none of the three headers of the service. */
function findWithoutHeaders({ bodies, facts }: Parts): readonly LoggedDelivery[] {
  if (!bodies.some(({ score }) => score >= EVENT_SCORE)) return [];
  const headers = [...facts].flatMap(([path, value]): HeaderPair[] => {
    const [, name] = /(?:^|[._])headers?[._]([\w-]+)$/i.exec(path) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const isRequest = headers.some(([name]) => /^(?:host|user-agent)$/i.test(name));
  return isRequest ? [{ ...toDelivery({ headers, bodies, parsedBody: null, facts }), lacks: "headers" }] : [];
}

/** Of a field with the name of a body, and an event in it. */
const EVENT_SCORE = 8;

/** What is at a path of a record, of the JSON in a line, or after that name in a line; null if nothing is. */
function readPath(value: unknown, path: string): unknown {
  // The name of a column can have dots.
  if (isRecord(value)) return Object.hasOwn(value, path) ? value[path] : (valueAt(value, path) ?? null);
  if (typeof value !== "string") return null;
  const spans = findSpans(value);
  for (const { text } of spans) {
    const inner = parseLiteral(text);
    const found = isRecord(inner) ? readPath(inner, path) : null;
    if (found !== null) return found;
  }
  return readNamedText(value, path, spans);
}

/** @throws ClaimsError: the path or the words around its value name a signature that the receiver computed */
function refuseComputed(paths: FieldPaths, value: string, facts: ReadonlyMap<string, string>): void {
  const { signature = "", computed } = paths;
  const isOfPath = (label: string) => label === signature || `${label} `.includes(`${signature} `);
  const labels = [...facts]
    .filter(([label, text]) => text === value && isOfPath(label))
    .map(([label]) => label);
  const name = [...labels, signature].find((label) => isNameOfComputed(label, computed !== undefined));
  if (name === undefined || labels.some(isNameOfReceived)) return;
  throw usageError(
    "option_invalid",
    `by its name, "${name}" is what the receiver computed, which it does of a forged delivery, too`,
    {
      hint: "--field computed=NAME names it; give --field signature= the name of what arrived, or leave it out if nothing did",
    },
  );
}

/** By the paths of `--field`; what they do not name is searched. */
function readFields(value: unknown, options: FindOptions): WalkResult {
  const { paths } = options;
  if (Array.isArray(value)) {
    const all = value.map((each) => readFields(each, options));
    return { ...EMPTY_RESULT, deliveries: all.flatMap((each) => (each.headers ? [each] : each.deliveries)) };
  }
  const searched = new Walk(options.lacksHeaderNames).visit(value, "", 0);
  const [rest = searched] = searched.deliveries;
  const read = (name: FieldName): unknown => {
    const path = paths[name];
    return path === undefined ? null : readPath(value, path);
  };
  const readTexts = (...names: readonly (readonly [as: string, name: FieldName])[]) =>
    names.flatMap(([as, name]): HeaderPair[] => (read(name) === null ? [] : [[as, String(read(name))]]));
  const given = readTexts(
    [TIMESTAMP_HEADER, "timestamp"],
    [SIGNATURE_HEADER, "signature"],
    [EVENT_HEADER, "event"],
  );
  if (read("signature") !== null) refuseComputed(paths, String(read("signature")), rest.facts);
  const [list, body] = [read("headers"), read("body")];
  const own = Array.isArray(list) ? readHeaderList(list) : isRecord(list) ? readHeaderFields(list) : null;
  const listed = (own ?? rest).headers ?? [];
  const headers = [...listed.filter(([name]) => !given.some(([other]) => other === name)), ...given];
  const isBase64 = /base64|b64/i.test(paths.body ?? "");
  const bodies = body === null ? rest.bodies : listBodyCandidates("rawBody", body, isBase64);
  if (headers.length === 0 || bodies.length === 0) return EMPTY_RESULT;
  const facts = new Map([
    ...readTexts(["computed", "computed"]),
    ...rest.facts,
    ...readTexts(["received_at", "time"]),
  ]);
  return { ...EMPTY_RESULT, headers, bodies, facts };
}
