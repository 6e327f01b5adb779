import { isRecord, valueAt } from "../../json.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { listBodyCandidates } from "./body-candidates.ts";
import type { HeaderPair } from "./delivery.ts";
import { readHeaderFields, readHeaderList } from "./header-notation.ts";
import {
  addFacts,
  complete,
  type Found,
  isAboutDelivery,
  type LoggedDelivery,
  NOTHING,
  toDelivery,
} from "./logged-delivery.ts";
import { findSpans, parseLiteral, readNamedText } from "./text-record.ts";
import { Walk, type WalkOptions } from "./walk.ts";

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

export interface FindOptions extends WalkOptions {
  readonly paths: FieldPaths;
}

/**
 * The deliveries in a value of any form: headers with the names of interface §6, in whatever notation, and a body near
 * them. Bounded in values and depth, never by a clock.
 */
export function findDeliveries(value: unknown, options: FindOptions): readonly LoggedDelivery[] {
  const found =
    Object.keys(options.paths).length > 0
      ? readFields(value, options)
      : new Walk(options).visit(value, "", 0);
  const { deliveries, headers } = found;
  const isPlain = options.isPlain === true && deliveries.length === 0 && isAboutDelivery(found.facts);
  if (headers || isPlain) return [...deliveries, complete(found)];
  return deliveries.length > 0 ? deliveries : findWithoutHeaders(found);
}

/** A record that has the headers of a request and an event, and none of the three headers of the service. */
function findWithoutHeaders({ bodies, facts }: Found): readonly LoggedDelivery[] {
  if (!bodies.some(({ score }) => score >= EVENT_SCORE)) return [];
  const headers = [...facts].flatMap(([path, value]): HeaderPair[] => {
    const [, name] = /(?:^|[._])headers?[._]([\w-]+)$/i.exec(path) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const isRequest = headers.some(([name]) => /^(?:host|user-agent)$/i.test(name));
  return isRequest ? [{ ...addFacts(toDelivery(headers, bodies), facts), lacks: "headers" }] : [];
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

/** By the paths of `--field`; what they do not name is searched. */
function readFields(value: unknown, options: FindOptions): Found {
  const { paths } = options;
  if (Array.isArray(value)) {
    const all = value.map((each) => readFields(each, options));
    return {
      ...NOTHING,
      deliveries: all.flatMap((each) => (each.headers ? [complete(each)] : each.deliveries)),
    };
  }
  const read = (name: FieldName): unknown => {
    const path = paths[name];
    return path === undefined ? null : readPath(value, path);
  };
  const rest = new Walk(options).visit(value, "", 0);
  const [found] = rest.deliveries;
  const named = [
    [TIMESTAMP_HEADER, read("timestamp")],
    [SIGNATURE_HEADER, read("signature")],
    [EVENT_HEADER, read("event")],
  ] as const;
  const given = named.flatMap(([name, text]): HeaderPair[] => (text === null ? [] : [[name, String(text)]]));
  const list = read("headers");
  const own = Array.isArray(list) ? readHeaderList(list) : isRecord(list) ? readHeaderFields(list) : null;
  const listed = own?.headers ?? rest.headers ?? found?.headers ?? [];
  const body = read("body");
  const bodies =
    body === null
      ? [
          ...rest.bodies,
          ...(found ? [found.body, ...found.otherBodies].map((bytes) => ({ bytes, score: 5 })) : []),
        ]
      : listBodyCandidates("rawBody", body, /base64|b64/i.test(paths.body ?? ""));
  const headers = [...listed.filter(([name]) => !given.some(([other]) => other === name)), ...given];
  if (headers.length === 0 || bodies.length === 0) return NOTHING;
  const facts = new Map(found?.facts ?? rest.facts);
  const [time, computed] = [read("time"), read("computed")];
  if (time !== null) facts.set("received_at", String(time));
  if (computed !== null) facts.set("computed", String(computed));
  return { ...NOTHING, headers, bodies, facts };
}
