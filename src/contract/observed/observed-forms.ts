import { type Operation, statusLabelOf } from "../operation.ts";
import { findOperation } from "../operations.ts";
import { chooseDescription, type FieldSchema } from "./align.ts";
import type { ErrorForm, ObservedService } from "./observed-service.ts";
import { type FieldPlace, listFieldPlaces, namePlace } from "./places.ts";
import { matchWords } from "./words.ts";

export type SeenFieldEntry = ObservedService["fields"][number];
type SeenList = NonNullable<ObservedService["responses"][number]["list"]>;

/** A field as the service writes it. */
export interface ObservedField {
  /** With a full stop before a nested one; null where no object has it. */
  readonly name: string | null;
  /** Without `null`. */
  readonly forms: readonly string[];
  /** Our word → the word that was seen in its place. */
  readonly words: ReadonlyMap<string, string>;
}

/** The field of the items in a page of the contract. */
const DEFAULT_ITEMS = "data";

/** Names of items that say nothing of the records. */
const GENERIC_ITEMS: readonly string[] = [
  DEFAULT_ITEMS,
  "items",
  "results",
  "records",
  "list",
  "entries",
  "values",
];

/** Headers of a response that an observed service may not have. */
const OPTIONAL_HEADERS: readonly string[] = ["Location", "Retry-After", "ETag", "Link"];

export type ObservedForms = ReturnType<typeof createObservedForms>;

/** Where the contract has fields, by place and field. */
export const findFieldPlaces = (): ReadonlyMap<string, FieldPlace> =>
  new Map(listFieldPlaces().map((each) => [`${each.place}\n${each.field}`, each]));

/** Interface §2 names it, so that no observation renames it. */
export const isDocumentedField = ({ schema }: FieldPlace): boolean =>
  (schema as { readonly "x-basis"?: string })["x-basis"] === "documented";

/**
 * Lookup of what was seen of a service. Of several forms, the one that was seen most often counts; an operation that was not
 * seen has the forms of the others.
 */
export function createObservedForms(service: ObservedService) {
  const places = findFieldPlaces();
  const byOperation = new Map<string, SeenFieldEntry>();
  const byPlace = new Map<string, SeenFieldEntry>();
  const unrecognized = findUnrecognizedPlaces(service);
  for (const entry of service.fields) {
    const { operation, place, field } = entry;
    if (unrecognized.has(`${operation}\n${place}`)) continue;
    keepMostFrequent(byOperation, `${operation}\n${place}\n${field}`, entry);
    keepMostFrequent(byPlace, `${place}\n${field}`, entry);
  }
  const timeForm = findTimeForm(service, places);
  for (const entry of listStatedFields(service)) {
    const { operation, place, field } = entry;
    if (byPlace.has(`${place}\n${field}`)) continue;
    const isTime = chooseDescription(places.get(`${place}\n${field}`)?.schema ?? {}).format === "date-time";
    // What all times have in responses counts more than a document.
    byOperation.set(
      `${operation}\n${place}\n${field}`,
      isTime && timeForm !== undefined ? { ...entry, forms: [] } : entry,
    );
  }
  const successes = [
    ...service.responses.filter(({ status }) => status >= 200 && status < 300),
    ...listStatedSuccesses(service),
  ];
  const lists = successes.filter(({ list }) => list !== null);
  const order = findOrder(lists);
  const paging = lists.find((each) => each.paging)?.paging ?? null;
  const commonItems = findCommonItems(lists);
  const cursor = mostFrequent(
    service.fields.filter(({ field, operation, place }) => field === "nextCursor" && place === operation),
  );

  /** Undefined where nothing was seen. */
  const findField = (operation: string, place: string, field: string): ObservedField | undefined => {
    const isCursor = field === "nextCursor" && place === operation;
    const entry =
      byOperation.get(`${operation}\n${place}\n${field}`) ??
      byPlace.get(`${place}\n${field}`) ??
      (isCursor ? cursor : undefined);
    if (!entry) return undefined;
    const known = places.get(`${place}\n${field}`);
    const isFixed = known !== undefined && isDocumentedField(known);
    const words = known ? (chooseDescription(known.schema).enum ?? []).map(String) : [];
    return {
      name: isFixed ? field : entry.name,
      forms: entry.forms.filter((form) => form !== "null"),
      words: matchWords(words, entry.words, service.completedStates).names,
    };
  };

  const successOf = (operation: string) =>
    mostFrequent(successes.filter((each) => each.operation === operation));

  return {
    /** The status of a success. The interface documents one of them. */
    statusOf({ id, response }: Operation): number {
      const isFixed = statusLabelOf(response).basis === "documented";
      return isFixed ? response.status : (successOf(id)?.status ?? response.status);
    },

    /** Whether a success has a header that the service may leave out. */
    hasHeader(operation: string, header: string): boolean {
      const success = successOf(operation);
      const hasNextPage = cursor?.forms.some((form) => form !== "null") ?? false;
      if (!success || (header === "Link" && !hasNextPage)) return true;
      return !OPTIONAL_HEADERS.includes(header) || success.headers.includes(header.toLowerCase());
    },

    findField,
    timeForm,
    successOf,

    /** The fields of an object that the contract does not have: names and forms. */
    listUnknownFields: (
      place: string,
    ): readonly { readonly name: string; readonly forms: readonly string[] }[] => [
      ...service.unknownFields.filter((each) => each.place === place),
      ...service.otherFields
        .filter((each) => each.place === place)
        .flatMap(({ count }) =>
          Array.from({ length: count }, (_, index) => ({ name: `unknown_${index + 1}`, forms: ["null"] })),
        ),
    ],

    /** The field that has the document in it: of another operation with the same document if this one was not seen. */
    wrapperOf(operation: string): string | null {
      const own = successOf(operation);
      if (own) return own.wrapper;
      const place = rootPlaceOf(operation);
      const others = successes.filter((each) => rootPlaceOf(each.operation) === place);
      return place === operation ? null : (mostFrequent(others)?.wrapper ?? null);
    },

    /** The form of a page: what was not seen of this list is that of other lists. */
    listOf(operation: string): SeenList & Pick<ObservedService["responses"][number], "paging"> {
      const own = mostFrequent(lists.filter((each) => each.operation === operation))?.list;
      const items = own ? own.items : commonItems;
      return { items, order: own?.order ?? order, paging: successOf(operation)?.paging ?? paging };
    },

    /** How an error of an operation is written: as others with its status, or as any other, if it was not seen. */
    errorOf(operation: string | null, status: number): ObservedService["errors"][number] | undefined {
      const errors = service.errors.filter((each) => each.operation !== "oauth.token");
      const ofStatus = errors.filter((each) => each.status === status);
      return (
        mostFrequent(ofStatus.filter((each) => each.operation === operation)) ??
        mostFrequent(ofStatus) ??
        mostFrequent(errors)
      );
    },

    /** The content type of the errors of one form. */
    errorTypeOf: (form: ErrorForm): string | undefined => {
      const ofForm = service.errors.filter((each) => each.form === form);
      return service.responses.find((response) =>
        ofForm.some((each) => each.operation === response.operation && each.status === response.status),
      )?.type;
    },
  };
}

/** Of an operation that was not seen, what the service's own document states. */
const UNSEEN = { count: 0, requestId: null };

function listStatedFields({ document, lastAt }: ObservedService): SeenFieldEntry[] {
  const fields = document?.fields ?? [];
  return fields
    .filter(({ place }) => !INPUT_PLACE.test(place))
    .map((each) => ({ ...each, ...UNSEEN, lastAt }));
}

function listStatedSuccesses({ document, lastAt, responses }: ObservedService): ObservedService["responses"] {
  const stated = document?.responses ?? [];
  return stated
    .filter(
      ({ operation, status }) =>
        status < 300 && !responses.some((each) => each.operation === operation && each.status < 300),
    )
    .map((each) => ({ ...each, ...UNSEEN, lastAt, paging: null }));
}

/** `clients.create request`, `clients.list query` */
const INPUT_PLACE = / (?:request|query)$/;

/** The names of the fields of requests and of queries that the service's own document states; null for one that it does not have. */
export const listStatedInputs = ({ document }: ObservedService) =>
  (document?.fields ?? []).filter(({ place }) => INPUT_PLACE.test(place));

function keepMostFrequent(entries: Map<string, SeenFieldEntry>, key: string, entry: SeenFieldEntry): void {
  const earlier = entries.get(key);
  const isBetter =
    !earlier ||
    (entry.name !== null && earlier.name === null) ||
    (entry.count > earlier.count && (entry.name === null) === (earlier.name === null));
  if (isBetter) entries.set(key, entry);
}

const mostFrequent = <E extends { readonly count: number }>(entries: readonly E[]): E | undefined =>
  entries.reduce<E | undefined>((best, each) => (best && best.count >= each.count ? best : each), undefined);

/** The place of the document of an operation: a component, or the operation itself. */
export function rootPlaceOf(operation: string): string {
  const row = findOperation(operation);
  return row ? namePlace(row.response.schema as FieldSchema, operation) : operation;
}

/**
 * Objects of which no field was found in what was seen, although the contract has several: they are another object, rather
 * than one without these fields.
 *
 * @returns operation and place
 */
export function findUnrecognizedPlaces({ fields }: ObservedService): ReadonlySet<string> {
  const counts = new Map<string, { all: number; found: number }>();
  for (const { operation, place, name } of fields) {
    const key = `${operation}\n${place}`;
    const { all, found } = counts.get(key) ?? { all: 0, found: 0 };
    counts.set(key, { all: all + 1, found: found + (name === null ? 0 : 1) });
  }
  return new Set([...counts].filter(([, { all, found }]) => found === 0 && all > 1).map(([key]) => key));
}

/** The name of the items that holds for lists of any kind; a name that only one list has may be that of its records. */
function findCommonItems(lists: ObservedService["responses"]): string | null {
  const names = lists.map(({ list }) => list?.items ?? null);
  const [first = DEFAULT_ITEMS, ...others] = new Set(names);
  const isCommon =
    others.length === 0 && (first === null || names.length > 1 || GENERIC_ITEMS.includes(first));
  return isCommon ? first : DEFAULT_ITEMS;
}

/** Two records are in some order by chance; a disorder is never one. */
function findOrder(lists: ObservedService["responses"]): SeenList["order"] {
  const seen = lists.filter(({ list }) => list?.order);
  const disorder = seen.find(({ list }) => list?.order === "unordered");
  return (disorder ?? mostFrequent(seen))?.list?.order ?? null;
}

/** The form of the times, where all that were seen have the same. */
function findTimeForm(
  { fields }: ObservedService,
  places: ReadonlyMap<string, FieldPlace>,
): string | undefined {
  const forms = fields
    .filter(({ place, field }) => {
      const known = places.get(`${place}\n${field}`);
      return known && chooseDescription(known.schema).format === "date-time";
    })
    .flatMap(({ forms: seen }) => seen.filter((form) => form !== "null"));
  const [first, ...others] = new Set(forms);
  return others.length === 0 ? first : undefined;
}
