import { STATUS_CODES } from "node:http";
import { isRecord } from "../../../domain/json.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { formatPlace, isWithin, type Place } from "../places.ts";
import type { ErrorsForm, OpenPoint } from "../service-form.ts";
import { describeValues } from "./common-words.ts";
import { countCommon } from "./find-records.ts";
import { learnCodes } from "./provoked-errors.ts";
import { isIdentifier, type Leaf, listLeaves, openPoint, type Sample } from "./samples.ts";

interface LearnedErrors {
  readonly errors?: ErrorsForm;
  readonly open: readonly OpenPoint[];
}

/** How errors are written: where each has a sentence, and where different ones have different words. */
export function learnErrors(samples: readonly Sample[]): LearnedErrors {
  // Tokens and the document may be of another program than the service itself.
  const own = samples.filter(
    ({ status, operation: { id, auth } }) =>
      status >= 400 && auth !== "client" && id !== OPERATIONS.document.openapi.id,
  );
  if (own.length === 0) return { open: [] };
  const json = own.filter(({ document }) => document !== undefined && typeof document === "object");
  if (json.length === 0) return learnText(own, samples);
  const isList = json.every(({ document }) => findListPlace(document) !== null);
  const places = json.map(({ document }) =>
    listLeaves(document).filter(({ place }) => place.every((name) => name === "*" || isIdentifier(name))),
  );
  const common = (places[0] ?? []).filter(({ place }) =>
    places.every((leaves) => leaves.some((leaf) => formatPlace(leaf.place) === formatPlace(place))),
  );
  const valuesAt = (place: Place) =>
    places.map((leaves) => leaves.find((leaf) => formatPlace(leaf.place) === formatPlace(place))?.value);
  const messages = common.filter(({ place }) => isMessage(place, valuesAt(place)));
  const codes = common.filter(
    ({ place }) =>
      valuesAt(place).every(isCode) && !isStatus(place, json) && !isMessage(place, valuesAt(place)),
  );
  const message = chooseNamed(messages, /message|detail|text|description/i);
  const code = chooseNamed(codes, /code|key|error|reason/i);
  const header = code === undefined ? findCodeHeader(own) : undefined;
  const statusLeaf = common.find(({ place }) => isStatus(place, json));
  const reasons = json.map(({ status }) => STATUS_CODES[status]);
  const reason = common.find(
    ({ place }) => place !== message && valuesAt(place).every((value, index) => value === reasons[index]),
  )?.place;
  const path = common.find(({ place }) =>
    valuesAt(place).every(
      (value, index) => /^\/./.test(String(value)) && pathOf(json[index]).endsWith(String(value)),
    ),
  )?.place;
  const taken = [message, code, statusLeaf?.place, reason, path];
  const others = common.filter(({ place }) => !taken.includes(place) && json.length > 1);
  const extras = others.map(({ place }) => [formatPlace(place), describeValues(valuesAt(place))] as const);
  const open = [
    ...(message ? [] : [toOpen("message", messages)]),
    ...(code || header ? [] : [toOpen("code", codes)]),
  ];
  const [first] = [message, code].filter((place) => place !== undefined);
  if (!first) return { open };
  const holder = isList ? (findListPlace(json[0]?.document) ?? []) : commonHolder([message, code]);
  const inner = (place: Place) => formatPlace(place.slice(holder.length + (isList ? 1 : 0)));
  const isInside = statusLeaf !== undefined && isWithin(statusLeaf.place, holder);
  const [sample] = json;
  const type = sample?.type ?? "";
  const readCode = ({ document, headers }: Sample) => {
    const key = formatPlace(code ?? []);
    const value =
      header === undefined
        ? code && listLeaves(document).find(({ place }) => formatPlace(place) === key)?.value
        : headers[header];
    return isCode(value) ? (value as string | number) : undefined;
  };
  return {
    errors: {
      ...(holder.length > 0 && { at: formatPlace(holder) }),
      ...(isList && { isList }),
      code: code ? inner(code) : null,
      message: message ? inner(message) : null,
      ...(header !== undefined && { header }),
      ...(isInside && { status: inner(statusLeaf.place) }),
      ...(isInside && typeof statusLeaf.value === "string" && { statusAs: "text" as const }),
      ...(path && isWithin(path, holder) && { path: inner(path) }),
      ...(reason && isWithin(reason, holder) && { reason: inner(reason) }),
      contentType: type.endsWith("json") ? type : "application/json",
      ...(extras.length > 0 && { extras: Object.fromEntries(extras) }),
      ...learnCodes(samples, readCode),
    },
    open,
  };
}

const pathOf = (sample: Sample | undefined): string => sample?.path.replace(/\?.*$/s, "") ?? "";

/** A header of the service's own that has the code of each error. */
function findCodeHeader(errors: readonly Sample[]): string | undefined {
  const names = new Set(errors.flatMap(({ headers }) => Object.keys(headers)));
  return [...names]
    .filter((name) => CODE_HEADER.test(name))
    .find((name) => {
      const values = errors.map(({ headers }) => headers[name]).filter((value) => value !== undefined);
      return values.every(isCode) && new Set(values).size > 1;
    });
}

const CODE_HEADER = /^x-(?:[a-z]+-)?(?:error|code)(?:-[a-z]+)?$/;

function learnText(errors: readonly Sample[], all: readonly Sample[]): LearnedErrors {
  const plain = errors.filter(({ type }) => type === "text/plain");
  if (plain.length === 0) return { open: [] };
  const [separator, ...others] = new Set(plain.map(({ body }) => CODED_TEXT.exec(body)?.[2]));
  const isCoded = separator !== undefined && others.length === 0;
  const codes = learnCodes(all, ({ body }) => (isCoded ? CODED_TEXT.exec(body)?.[1] : undefined));
  const errorsForm = { isText: true, contentType: "text/plain; charset=utf-8", ...codes };
  return { errors: { ...errorsForm, ...(isCoded && { separator }) }, open: [] };
}

/** A code in front of the sentence: `E-404: no such job`. */
const CODED_TEXT = /^([A-Z]{1,8}[_-]?\d{1,5})(: ?| - | )/;

/** Sentences, or texts under the name of one. */
const isMessage = (place: Place, values: readonly unknown[]): boolean =>
  values.every(isSentence) ||
  (/^(message|detail|error_description)$/i.test(place.at(-1) ?? "") &&
    values.every((value) => typeof value === "string"));

const isSentence = (value: unknown): boolean => typeof value === "string" && /\S\s+\S/.test(value);

const isCode = (value: unknown): boolean =>
  typeof value === "string"
    ? /^[\w.:-]{2,60}$/.test(value) && !/^[0-9a-f-]{16,}$/i.test(value)
    : Number.isInteger(value);

/** A number that is always the status is no code. */
const isStatus = (place: Place, samples: readonly Sample[]): boolean =>
  samples.every(({ document, status }) =>
    listLeaves(document).some(
      (leaf) => formatPlace(leaf.place) === formatPlace(place) && Number(leaf.value) === status,
    ),
  );

/** The only place, or the only one with a usual name. */
function chooseNamed(found: readonly Leaf[], names: RegExp): Place | undefined {
  const [only, ...others] = found;
  if (only && others.length === 0) return only.place;
  const named = found.filter(({ place }) => names.test(place.at(-1) ?? ""));
  return named.length === 1 ? named[0]?.place : undefined;
}

function toOpen(subject: string, found: readonly Leaf[]): OpenPoint {
  const seen = found.map(({ place }) => formatPlace(place)).join(", ");
  const why = found.length > 1 ? "several fields could be it" : "not observed";
  return openPoint(`errors ${subject}`, seen.slice(0, 290) || "nothing", why);
}

function findListPlace(document: unknown): Place | null {
  if (Array.isArray(document)) return document.some(isRecord) ? [] : null;
  if (!isRecord(document)) return null;
  const found = Object.entries(document).flatMap(([name, value]) => {
    const place = findListPlace(value);
    return place === null ? [] : [[name, ...place]];
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

function commonHolder(places: readonly (Place | undefined)[]): Place {
  const [first, second = first] = places.filter((place) => place !== undefined);
  if (!first || !second) return [];
  const holder = first.slice(0, -1);
  return holder.slice(0, countCommon(holder, second.slice(0, -1)));
}

/** No record has it: the read shows the form of an error. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
