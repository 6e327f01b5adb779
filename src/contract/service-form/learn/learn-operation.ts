import { groupBy } from "../../../domain/group-by.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Operation } from "../../operations/operation.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { findContractResponse } from "../contract-records.ts";
import { listPagingPlaces } from "../paging.ts";
import { formatPlace, isInside, isWithin, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { OpenPoint, OperationForm } from "../service-form.ts";
import { describeValues, hasOnlyCommonWords } from "./common-words.ts";
import { type FoundList, findLists, findRecordPlace, listItems } from "./find-records.ts";
import type { KnownValues } from "./known-values.ts";
import { learnCsv, preferJson } from "./learn-csv.ts";
import { learnPaging } from "./learn-paging.ts";
import { isIdentifier, type Leaf, lastSegment, listLeaves, openPoint, type Sample } from "./samples.ts";
import type { ServiceDocument } from "./service-document.ts";
import { isUuid } from "./value-forms.ts";

const JOB_PATH = OPERATIONS.diligence.status.path.replace("{jobId}", "");

export interface LearnedOperation {
  readonly operation: Operation;
  readonly samples: readonly Sample[];
  readonly form: OperationForm;
  /** The records, each without its envelope. */
  readonly records: readonly unknown[];
  readonly list: FoundList | null;
  readonly at: Place;
  readonly explained: readonly Place[];
}

/** Whether there are several records; a job that was polled is one, and each write has its own. */
export const isOfSeveral = (located: LearnedOperation): boolean =>
  located.list ? located.records.length > 1 : isOfSeveralRequests(located);

const isOfSeveralRequests = ({ operation, samples }: WithFields): boolean =>
  operation.method === "GET" ? new Set(samples.map(({ path }) => path)).size > 1 : samples.length > 1;

export function groupByOperation(samples: readonly Sample[]): (readonly Sample[])[] {
  const found = samples.filter(
    ({ operation: { id }, status }) => status < 300 && id !== OPERATIONS.document.openapi.id,
  );
  return [...groupBy(found, ({ operation }) => operation.id).values()];
}

/** Where the records of an operation are, and what else its responses show of its form. */
export function learnOperation(
  all: readonly Sample[],
  known: KnownValues,
  document: ServiceDocument | null,
  open: OpenPoint[],
): LearnedOperation {
  const group = preferJson(all);
  const [{ operation, status, type, body }] = group as readonly [Sample, ...Sample[]];
  const { isPage, record } = findContractResponse(operation);
  const json = group.filter(({ document: each }) => typeof each === "object" && each !== null);
  const request = document?.findRequest(operation) ?? {};
  const base: OperationForm = {
    ...(status !== operation.response.status && { status }),
    ...(json.length > 0 &&
      type !== "application/json" &&
      /^[a-z]+\/(?!.*\d{3})[a-z.+-]+$/.test(type) && { contentType: type }),
    ...request,
    ...learnLocation(group),
  };
  const none = { operation, samples: group, records: [], list: null, at: [], explained: [] };
  if (json.length === 0) {
    if (body === "") return { ...none, form: { ...base, isEmpty: true, ...locateId(group, known) } };
    return { ...none, form: { ...base, ...learnCsv(all, known, open) } };
  }
  const documents = json.map((each) => each.document);
  if (!isPage) {
    const at = findRecordPlace(record, documents, (value) => known.has("jobId", value));
    const records = documents.map((each) => valueAtPlace(each, at)).filter(isRecord);
    const place = { ...(at.length > 0 && { at: formatPlace(at) }), ...locateId(group, known) };
    return { ...none, records, at, form: { ...base, ...place, ...learnCsv(all, known, open) } };
  }
  const lists = findLists(documents);
  const [list, ...others] = lists;
  if (!list || others.length > 0) {
    const seen = lists.map(({ place }) => formatPlace(place) || "(the document)").join(", ") || "no list";
    open.push(openPoint(`${operation.id} data`, seen, "not one list of records"));
    return { ...none, form: base };
  }
  const pages = learnPaging(json, list);
  open.push(...pages.open);
  const items = formatPlace(list.place);
  const form = {
    ...base,
    ...(items !== "data" && { items }),
    ...(list.isMap && { map: true }),
    ...(pages.paging && { paging: pages.paging }),
  };
  const records = documents.flatMap((each) => listItems(each, list));
  return { ...none, form, list, at: list.place, records, explained: pages.explained };
}

/** A list that shows no next page has the paging of the others, if its envelope has their members. */
export function sharePaging(all: readonly LearnedOperation[]): readonly LearnedOperation[] {
  const shown = all.flatMap(({ form: { paging } }) => (paging?.next === undefined ? [] : [paging]));
  const [first, ...others] = new Map(
    shown.map(({ rows: _, ...paging }) => [JSON.stringify(paging), paging]),
  ).values();
  if (!first || others.length > 0) return all;
  const places = listPagingPlaces(first);
  const isSame = ({ document }: Sample) =>
    places.every((place) => valueAtPlace(document, place) !== undefined) &&
    valueAtPlace(document, parsePlace(first.next ?? "")) === null;
  return all.map((each) =>
    each.list && !each.form.paging && each.samples.every(isSame)
      ? { ...each, form: { ...each.form, paging: first }, explained: [...each.explained, ...places] }
      : each,
  );
}

/** The path before the id in `Location`, if it is one of the contract and the contract has another header there. */
function learnLocation(group: readonly Sample[]): Pick<OperationForm, "location"> {
  const templates = group.map(({ operation, headers: { location = "" }, body }) => {
    const [, origin = "", path = "", id = ""] =
      /^(https?:\/\/[^/]+)?(\/[^?#]*\/)([^/?#]+)$/.exec(location) ?? [];
    const isOwn = operation.method !== "GET" && isUuid(id) && (body === "" || body.includes(id));
    const known = [`${operation.path}/`, ...(operation.response.headers?.Location ? [JOB_PATH] : [])];
    const own = known.find((each) => path.endsWith(each));
    return isOwn && own ? `${origin && "{origin}"}${own}{id}` : undefined;
  });
  const [location, ...others] = new Set(templates);
  const isContract = location === `${JOB_PATH}{id}`;
  return location === undefined || others.length > 0 || isContract ? {} : { location };
}

/** The record of a job whose id is in `Location` alone. */
export const ACCEPTED_JOB = "AcceptedJob";

function locateId(group: readonly Sample[], known: KnownValues): OperationForm {
  const isInHeader = ({ operation, headers, body, document }: Sample) => {
    const { location: path } = headers;
    if (!operation.id.startsWith("diligence.") || path === undefined) return false;
    const id = lastSegment({ path });
    return body === "" || (known.has("jobId", id) && listLeaves(document).every(({ value }) => value !== id));
  };
  return group.every(isInHeader) ? { record: ACCEPTED_JOB } : {};
}

/** What of {@link LearnedOperation} has fields. */
interface WithFields extends Pick<LearnedOperation, "list" | "at" | "explained"> {
  readonly operation: Pick<Operation, "id" | "method">;
  readonly samples: readonly (Pick<Sample, "document"> & { readonly path?: string })[];
}

/** The values at a place, where `*` is each item of a list or each record of a map. */
const listAt = (value: unknown, [name, ...rest]: Place): unknown[] => {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  const inner = name === "*" ? Object.values(value) : [valueAtPlace(value, [name])];
  return inner.flatMap((each) => listAt(each, rest));
};

/**
 * Fields that no row explains, with what their values are. A name that is not in every one of several records, or documents,
 * could be a key of a map: it is counted only, unless it has common words alone.
 */
export function learnExtras(located: WithFields, explained: readonly Place[], open: OpenPoint[]) {
  const { operation, samples, at, list, explained: paging } = located;
  const prefix = list ? [...at, "*"] : at;
  const taken = [...paging, ...explained.map((place) => [...prefix, ...place])];
  const documents = samples.map(({ document }) => document);
  const fields = new Map<string, Leaf & { readonly values: unknown[] }>();
  for (const { place, value } of documents.flatMap(listLeaves)) {
    const isOfMap = list?.isMap === true && isInside(place, at);
    const general = isOfMap ? [...prefix, ...place.slice(prefix.length)] : place;
    const key = formatPlace(general);
    const isList = list !== null && key === formatPlace(at);
    if (isList || general.length === 0 || taken.some((each) => isWithin(general, each))) continue;
    const found = fields.get(key) ?? { place: general, value, values: [] };
    found.values.push(value);
    fields.set(key, found);
  }
  const isNamed = (place: Place, count: number) => {
    const holder = place.slice(0, place.lastIndexOf("*") + 1);
    const held = documents.flatMap((document) => listAt(document, holder)).length;
    const isSeveral = holder.length > 0 ? held > 1 : isOfSeveralRequests(located);
    const names = place.filter((name, level) => name !== "*" && name !== at[level]);
    return names.every(isIdentifier) && ((isSeveral && count >= held) || names.every(hasOnlyCommonWords));
  };
  const named = [...fields].filter(([, { place, values }]) => isNamed(place, values.length));
  const notKept = `${fields.size - named.length} fields whose names are not kept`;
  if (named.length < fields.size) open.push(openPoint(operation.id, notKept, "they are in one record alone"));
  if (named.length === 0) return {};
  return { extras: Object.fromEntries(named.map(([key, { values }]) => [key, describeValues(values, key)])) };
}
