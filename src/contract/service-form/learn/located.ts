import { groupBy } from "../../../domain/group-by.ts";
import { isRecord } from "../../../domain/json.ts";
import type { Operation } from "../../operations/operation.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { findContractResponse } from "../contract-records.ts";
import { formatPlace, isWithin, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { OpenPoint, OperationForm } from "../service-form.ts";
import type { KnownValues } from "./known-values.ts";
import { learnPaging } from "./learn-paging.ts";
import { type FoundList, findLists, findRecordPlace, listItems } from "./locate.ts";
import { isIdentifier, listLeaves, openPoint, type Sample } from "./samples.ts";
import type { ServiceDocument } from "./service-document.ts";
import { describeKind } from "./value-forms.ts";

export interface Located {
  readonly operation: Operation;
  readonly samples: readonly Sample[];
  readonly form: OperationForm;
  /** The records, each without its envelope. */
  readonly records: readonly unknown[];
  readonly list: FoundList | null;
  readonly at: Place;
  readonly explained: readonly Place[];
}

/** Whether there are several records; a job that was polled is one. */
export const isOfSeveral = ({ list, records, samples }: Located): boolean =>
  list ? records.length > 1 : new Set(samples.map(({ path }) => path)).size > 1;

export function groupByOperation(samples: readonly Sample[]): (readonly Sample[])[] {
  const found = samples.filter(
    ({ operation: { id, auth }, status }) =>
      status < 300 && auth !== "client" && id !== OPERATIONS.document.openapi.id,
  );
  return [...groupBy(found, ({ operation }) => operation.id).values()];
}

/** Where the records of an operation are, and what else its responses show of its form. */
export function locate(
  group: readonly Sample[],
  known: KnownValues,
  document: ServiceDocument | null,
  open: OpenPoint[],
): Located {
  const [{ operation, status, type, body, headers }] = group as readonly [Sample, ...Sample[]];
  const { isPage, record } = findContractResponse(operation);
  const json = group.filter(({ document: each }) => typeof each === "object" && each !== null);
  const request = document?.findRequest(operation) ?? {};
  const base: OperationForm = {
    ...(status !== operation.response.status && { status }),
    ...(json.length > 0 &&
      type !== "application/json" &&
      /^[a-z]+\/(?!.*\d{3})[a-z.+-]+$/.test(type) && { contentType: type }),
    ...request,
  };
  const none = { operation, samples: group, records: [], list: null, at: [], explained: [] };
  if (json.length === 0) {
    if (body === "")
      return { ...none, form: { ...base, isEmpty: true, ...locateId(operation, headers.location) } };
    return { ...none, form: { ...base, ...learnCsv(operation, type, body) } };
  }
  const documents = json.map((each) => each.document);
  if (!isPage) {
    const at = findRecordPlace(record, documents, (value) => known.has("jobId", value));
    const records = documents.map((each) => valueAtPlace(each, at)).filter(isRecord);
    return { ...none, records, at, form: { ...base, ...(at.length > 0 && { at: formatPlace(at) }) } };
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

/** The id of a job in `Location`, which is all that a response without a body has. */
const locateId = ({ id }: Operation, location: string | undefined): OperationForm =>
  id.startsWith("diligence.") && location !== undefined ? { record: "AcceptedJob" } : {};

function learnCsv({ id }: Operation, type: string, body: string): OperationForm {
  if (id !== OPERATIONS.diligence.dataset.id || type.includes("json")) return {};
  const [head = ""] = body.split(/\r?\n/);
  const [delimiter] = [";", "\t", "|", ","].filter((each) => head.includes(each));
  return {
    csv: { only: true, ...(delimiter !== undefined && delimiter !== "," && { delimiter }) },
    ...(type !== "text/csv" && /^text\/[a-z-]+$/.test(type) && { contentType: type }),
  };
}

/** Operations with the same boolean beside their records: fewer could have it by chance. */
const MIN_OPERATIONS = 3;

/** Adds the booleans that are beside the records of every response, such as `ok: true`. */
export function addConstants(located: readonly Located[]): Located[] {
  const enveloped = located.filter(({ at, records }) => at.length > 0 && records.length > 0);
  const constantsOf = ({ at, samples, explained }: Located) => {
    const all = samples.map(({ document }) =>
      listLeaves(document).flatMap(({ place, value }) =>
        typeof value === "boolean" &&
        place.every(isIdentifier) &&
        ![at, ...explained].some((other) => isWithin(place, other))
          ? [JSON.stringify([formatPlace(place), value])]
          : [],
      ),
    );
    return (all[0] ?? []).filter((each) => all.every((others) => others.includes(each)));
  };
  const [first, ...others] = enveloped.map(constantsOf);
  const common = first?.filter((each) => others.every((other) => other.includes(each))) ?? [];
  if (common.length === 0 || enveloped.length < MIN_OPERATIONS) return [...located];
  const constants: Record<string, boolean> = Object.fromEntries(common.map((each) => JSON.parse(each)));
  const places = Object.keys(constants).map(parsePlace);
  return located.map((each) =>
    enveloped.includes(each)
      ? { ...each, form: { ...each.form, constants }, explained: [...each.explained, ...places] }
      : each,
  );
}

/** Fields that no row explains. A name that is in one record alone could be a key of a map: it is counted only. */
export function addExtras(located: Located, explained: readonly Place[], open: OpenPoint[]): void {
  const { operation, records, samples, at, list, explained: paging } = located;
  const prefix = list ? [...at, "*"] : at;
  const rows = explained.map((place) => [...prefix, ...place]);
  const isExplained = (place: Place) => [...rows, ...paging].some((each) => isWithin(place, each));
  const isMapKey = (level: number) => list?.isMap === true && level === at.length;
  const kinds = new Map<string, { kinds: Set<string>; count: number; isKept: boolean }>();
  const isSeveral = isOfSeveral(located);
  for (const { document } of samples)
    for (const { place, value } of listLeaves(document)) {
      const general = place.map((name, level) => (isMapKey(level) ? "*" : name));
      if (isExplained(general) || value === null) continue;
      const key = formatPlace(general);
      const found = kinds.get(key) ?? {
        kinds: new Set<string>(),
        count: 0,
        isKept: general.every((name) => name === "*" || isIdentifier(name)),
      };
      found.kinds.add(describeKind(value));
      found.count += 1;
      kinds.set(key, found);
    }
  let unnamed = 0;
  for (const [key, { kinds: own, count, isKept }] of kinds) {
    if (!isKept || !isSeveral || count < records.length) unnamed += 1;
    else {
      const seen = `${key}: ${[...own].sort().join(" or ")}`.slice(0, 290);
      open.push(openPoint(operation.id, seen, "no field of the contract"));
    }
  }
  const notKept = `${unnamed} fields whose names are not kept`;
  if (unnamed > 0) open.push(openPoint(operation.id, notKept, "they are in one record alone"));
}
