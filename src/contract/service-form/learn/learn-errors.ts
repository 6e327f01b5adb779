import { isRecord } from "../../../domain/json.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { PROBLEMS, type ProblemCode } from "../../problems.ts";
import { formatPlace, type Place } from "../places.ts";
import type { ErrorsForm, OpenPoint } from "../service-form.ts";
import { countCommon } from "./locate.ts";
import { isIdentifier, type Leaf, lastSegment, listLeaves, openPoint, type Sample } from "./samples.ts";

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
  const others = common.filter(({ place }) => place !== message && place !== code);
  const isConstant = ({ place, value }: Leaf) =>
    typeof value === "boolean" && json.length > 1 && valuesAt(place).every((other) => other === value);
  const constants = others.filter(isConstant).map(({ place, value }) => [formatPlace(place), value]);
  const extras = others.filter((leaf) => !isConstant(leaf));
  const open = [
    ...(message ? [] : [toOpen("message", messages)]),
    ...(code ? [] : [toOpen("code", codes)]),
    ...(extras.length > 0 && json.length > 1 ? [toOpen("others", extras, "no field of the contract")] : []),
  ];
  const [first] = [message, code].filter((place) => place !== undefined);
  if (!first) return { open };
  const holder = isList ? (findListPlace(json[0]?.document) ?? []) : commonHolder([message, code]);
  const inner = (place: Place | undefined) =>
    place === undefined ? null : formatPlace(place.slice(holder.length + (isList ? 1 : 0)));
  const [sample] = json;
  const type = sample?.type ?? "";
  return {
    errors: {
      ...(holder.length > 0 && { at: formatPlace(holder) }),
      ...(isList && { isList }),
      code: inner(code),
      message: inner(message),
      contentType: type.endsWith("json") ? type : "application/json",
      ...(constants.length > 0 && { constants: Object.fromEntries(constants) }),
      ...learnCodes(samples, code),
    },
    open,
  };
}

function learnText(errors: readonly Sample[], all: readonly Sample[]): LearnedErrors {
  const [type = ""] = errors.map((sample) => sample.type).filter((each) => each.startsWith("text/"));
  if (type === "") return { open: [] };
  const contentType = `${type}; charset=utf-8`;
  return { errors: { isText: true, contentType, ...learnCodes(all, undefined) }, open: [] };
}

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

function toOpen(subject: string, found: readonly Leaf[], reason?: string): OpenPoint {
  const seen = found.map(({ place }) => formatPlace(place)).join(", ");
  const why = found.length > 1 ? "several fields could be it" : "not observed";
  return openPoint(`errors ${subject}`, seen.slice(0, 290) || "nothing", reason ?? why);
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

/** Errors that we know the reason of: what the service says then is its word for the problem of the contract. */
function listProvoked(all: readonly Sample[]): readonly (readonly [code: ProblemCode, sample: Sample])[] {
  const ofReport = all.filter(({ operation }) => operation.id === "diligence.report");
  const early = ofReport.find(
    ({ status, path }) =>
      status >= 400 && ofReport.some((other) => other.status < 300 && other.path === path),
  );
  const hasFailed = (report: Sample, index: number) =>
    all
      .slice(0, index)
      .some(
        (poll) =>
          poll.operation.id === "diligence.status" &&
          lastSegment(poll) === lastSegment(report) &&
          listLeaves(poll.document).some(({ value }) => String(value).toLowerCase() === "failed"),
      );
  const failed = all.find(
    (sample, index) =>
      sample.operation.id === "diligence.report" && sample.status >= 400 && hasFailed(sample, index),
  );
  const unknown = all.find(
    ({ operation, path, status }) =>
      operation.id === "diligence.status" && status >= 400 && path.includes(UNKNOWN_ID),
  );
  return [
    ...(unknown ? [["job_not_found", unknown] as const] : []),
    ...(early ? [["report_not_ready", early] as const] : []),
    ...(failed ? [["job_failed", failed] as const] : []),
  ];
}

function learnCodes(all: readonly Sample[], code: Place | undefined): Pick<ErrorsForm, "codes" | "statuses"> {
  const codes: Record<string, string | number> = {};
  const statuses: Record<string, number> = {};
  for (const [own, { document, status }] of listProvoked(all)) {
    const leaf = code && listLeaves(document).find(({ place }) => formatPlace(place) === formatPlace(code));
    const { value } = leaf ?? {};
    if ((typeof value === "string" && isCode(value)) || typeof value === "number") codes[own] = value;
    if (status !== PROBLEMS[own].status) statuses[own] = status;
  }
  const isInjective = new Set(Object.values(codes)).size === Object.keys(codes).length;
  return {
    ...(isInjective && Object.keys(codes).length > 0 && { codes }),
    ...(Object.keys(statuses).length > 0 && { statuses }),
  };
}

/** No record has it: the read shows the form of an error. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
