import { countObjects, type ListOrder, MAX_WORDS, type Shape } from "./shape.ts";

/** The part of JSON Schema that an observation is compared with. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly patternProperties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
}

/** A field of the contract as it was seen. */
export interface SeenField {
  /** The object that has the field: `Job.progress`. */
  readonly place: string;
  /** Its name in the contract. */
  readonly field: string;
  /** Its name as it was seen, with a full stop before a nested one; null if no object has it. */
  readonly name: string | null;
  /** Sorted, without counts. */
  readonly forms: readonly string[];
  /** The words that were seen, in a field that holds a state. */
  readonly words: readonly string[];
  /** How many objects were seen. */
  readonly count: number;
}

/** A field that the contract does not have. */
export interface UnknownField {
  readonly place: string;
  readonly name: string;
  readonly forms: readonly string[];
  /** Whether its name may be kept. */
  readonly isKept: boolean;
}

export interface SeenDocument {
  readonly fields: readonly SeenField[];
  readonly unknown: readonly UnknownField[];
  /** The field that has the whole document in it; null if there is none. */
  readonly wrapper: string | null;
  /** Of a list: the field of its items, null for a bare array, and their order. */
  readonly list: { readonly items: string | null; readonly order: ListOrder | null } | null;
}

/** The component or the path that names an object of the contract. */
export type NamePlace = (schema: FieldSchema, fallback: string) => string;

/** A nullable schema has two alternatives, of which one describes something. */
export const chooseDescription = (schema: FieldSchema): FieldSchema =>
  schema.anyOf?.find(({ type }) => type !== "null") ?? schema;

export const isList = ({ properties }: FieldSchema): boolean =>
  properties?.data?.items !== undefined && "nextCursor" in properties;

/**
 * Finds the fields of a schema in what was seen, whatever their names and places.
 *
 * @param records how many records the documents are of: a job that was polled is one
 */
export function alignDocument(
  schema: FieldSchema,
  shape: Shape,
  root: string,
  namePlace: NamePlace,
  records = Number.POSITIVE_INFINITY,
): SeenDocument {
  const found = {
    fields: [] as SeenField[],
    unknown: [] as UnknownField[],
  };

  const alignObject = (
    given: FieldSchema,
    seen: Shape,
    fallback: string,
    isItem: boolean,
    taken: readonly string[] = [],
  ) => {
    const { properties = {}, required = [] } = given;
    const place = namePlace(given, fallback);
    const count = countObjects(seen);
    if (count === 0) return;
    const names = matchNames(properties, seen, taken);
    for (const [field, fieldSchema] of Object.entries(properties)) {
      if (taken.includes(field)) continue;
      const name = names.get(field) ?? null;
      if (name === null && !required.includes(field)) continue;
      const inner = name === null ? undefined : findShape(seen, name);
      const described = chooseDescription(fieldSchema);
      found.fields.push({
        ...{ place, field, name, count },
        forms: inner ? [...inner.forms.keys()].sort() : [],
        words: inner && described.enum ? listStates(inner, described.enum, name === field) : [],
      });
      if (inner) alignValue(fieldSchema, inner, `${place}.${field}`, isItem);
    }
    const used = new Set([...names.values()].map((name) => name.split(".")[0]));
    addExtras(seen, place, isItem, (name) => used.has(name) || taken.includes(name));
  };

  /** The fields that the contract does not have. The items of a list are records of their own. */
  const addExtras = (seen: Shape, place: string, isItem: boolean, isKnown: (name: string) => boolean) => {
    const count = isItem ? countObjects(seen) : records;
    // One by one: a call takes some hundred thousand arguments at most, and a document may have more fields.
    for (const field of describeUnknown(seen, place, count, isKnown)) found.unknown.push(field);
  };

  const alignValue = (given: FieldSchema, seen: Shape, place: string, isItem: boolean): void => {
    const described = chooseDescription(given);
    if (described.properties) alignObject(described, seen, place, isItem);
    else if (described.items && seen.items) alignValue(described.items, seen.items, `${place}[]`, true);
    // The keys of a map are data.
    else if (described.patternProperties) {
      const [value] = Object.values(described.patternProperties);
      for (const inner of seen.fields.values()) if (value) alignValue(value, inner, `${place}.*`, isItem);
    }
  };

  const wrapper = findWrapper(schema, shape);
  const inner = wrapper === null ? shape : (shape.fields.get(wrapper) ?? shape);
  if (wrapper !== null) addExtras(shape, `${root} document`, false, (name) => name === wrapper);
  if (!isList(schema)) {
    alignValue(schema, inner, root, false);
    return { ...found, wrapper, list: null };
  }
  const items = findItems(schema, inner);
  const { data } = schema.properties ?? {};
  if (data?.items && items?.shape) alignValue(data.items, items.shape, `${root}.data[]`, true);
  if (countObjects(inner) > 0) alignObject(schema, inner, root, false, ["data", items?.name ?? ""]);
  return { ...found, wrapper, list: items && { items: items.name, order: items.order } };
}

/** The names of states at a place of the contract. A field with another name is one of states only if it has a word of ours. */
function listStates({ words }: Shape, own: readonly unknown[], hasOurName: boolean): string[] {
  if (words.size > MAX_WORDS) return [];
  const letters = new Set(own.map((word) => toBareName(String(word))));
  return hasOurName || [...words].some((word) => letters.has(toBareName(word))) ? [...words].sort() : [];
}

/** The root field of each form of an error that is no problem document. */
const ERROR_FIELDS: readonly string[] = ["error", "message", "errors"];

/** The fields of an error that is no problem document besides the one that says what is wrong. */
export const listErrorExtras = (shape: Shape, records: number): UnknownField[] =>
  describeUnknown(shape, "Error", records, (name) => ERROR_FIELDS.includes(name));

const describeUnknown = (
  seen: Shape,
  place: string,
  records: number,
  isKnown: (name: string) => boolean,
): UnknownField[] =>
  [...seen.fields]
    .filter(([name]) => !isKnown(name))
    .map(([name, shape]) => ({
      ...{ place, name, forms: [...shape.forms.keys()].sort() },
      isKept: records > 1 && isKept(name, shape, countObjects(seen)),
    }));

/** The shape of a field by its name; a nested one has a full stop in it. */
function findShape(seen: Shape, name: string): Shape | undefined {
  const whole = seen.fields.get(name);
  if (whole || !name.includes(".")) return whole;
  const [outer = "", inner = ""] = name.split(".");
  return seen.fields.get(outer)?.fields.get(inner);
}

const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

const toBareName = (name: string): string => splitWords(name).join("");

/** Contract name → name that was seen. */
function matchNames(
  properties: Readonly<Record<string, FieldSchema>>,
  seen: Shape,
  taken: readonly string[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const field of Object.keys(properties))
    if (seen.fields.has(field) && !taken.includes(field)) names.set(field, field);
  const count = countObjects(seen);
  const missing = Object.entries(properties).filter(([field]) => !names.has(field) && !taken.includes(field));
  const candidates = [...seen.fields].flatMap(([name, shape]): (readonly [string, Shape])[] => {
    if (taken.includes(name) || Object.hasOwn(properties, name) || !isIdentifier(name)) return [];
    const [inner, second] = [...shape.fields];
    const nested =
      inner && !second && isIdentifier(inner[0]) ? [[`${name}.${inner[0]}`, inner[1]] as const] : [];
    return [[name, shape] as const, ...nested].filter(([, each]) => sumForms(each) === count);
  });
  const scored = missing.flatMap(([field, schema]) =>
    candidates.flatMap(([name, shape]) => {
      const score = isCompatible(schema, shape) ? compareNames(field, name) : 0;
      return score > 0 ? [{ field, name, score }] : [];
    }),
  );
  for (const { field, name } of scored.sort((one, other) => other.score - one.score))
    if (!names.has(field) && ![...names.values()].includes(name)) names.set(field, name);
  return names;
}

const sumForms = ({ forms }: Shape): number => [...forms.values()].reduce((sum, each) => sum + each, 0);

/** Words that say what kind of a value it is, and not which: `createdAt` and `servedAt` are two things. */
const KIND_WORDS: readonly string[] = ["at", "count", "date", "id", "name", "number", "type"];

/** 2 for the same words, 1 to 2 for at least half of them, else 0. */
function compareNames(field: string, name: string): number {
  if (toBareName(field) === toBareName(name)) return 2;
  const [ours, theirs] = [splitWords(field), splitWords(name)];
  const shared = ours.filter((word) => theirs.includes(word));
  const share = shared.length / Math.max(ours.length, theirs.length);
  const isPart = shared.length === Math.min(ours.length, theirs.length);
  const isSameThing = isPart || shared.some((word) => !KIND_WORDS.includes(word));
  return share >= 0.5 && isSameThing ? 1 + share / 2 : 0;
}

/** Whether values of these forms can be those of the schema, which may be written in another way. */
function isCompatible(schema: FieldSchema, shape: Shape): boolean {
  const forms = [...shape.forms.keys()].filter((form) => form !== "null");
  return forms.every((form) => kindsOf(chooseDescription(schema)).some((kind) => form.startsWith(kind)));
}

/** The beginnings of the forms that a schema can have. */
function kindsOf({ type, format, properties, patternProperties, items, enum: words }: FieldSchema): string[] {
  if (properties || patternProperties) return ["object"];
  if (items) return ["array"];
  if (format === "date-time") return ["text:date-time", "integer"];
  if (format === "uuid") return ["text:uuid", "text:ulid"];
  if (format === "date") return ["text:date"];
  if (words) return ["text"];
  if (type === "integer" || type === "number") return ["integer", "decimal", "text:integer", "text:decimal"];
  if (type === "boolean") return ["boolean"];
  return type === "string" ? ["text"] : [""];
}

/** The list of a page: a bare array, or the field whose items are most like those of the contract. */
function findItems(schema: FieldSchema, shape: Shape) {
  const orderOf = (items: Shape | null): ListOrder | null =>
    items?.orders.get(matchNames(itemProperties(schema), items, []).get("createdAt") ?? "") ?? null;
  if (shape.forms.has("array")) return { name: null, shape: shape.items, order: orderOf(shape.items) };
  const lists = [...shape.fields]
    .filter(([name, { forms }]) => forms.has("array") && isIdentifier(name))
    .map(([name, { items }]) => ({ name, shape: items, overlap: overlapOf(itemProperties(schema), items) }))
    .sort((one, other) => other.overlap - one.overlap);
  const [found] = lists;
  if (!found) return null;
  // An empty list shows nothing of its items, and one that is like the contract in a few fields little.
  const isLike = found.overlap > 0 || found.shape?.forms.size === 0;
  return found.overlap >= 0.5 || (lists.length === 1 && isLike)
    ? { name: found.name, shape: found.shape, order: orderOf(found.shape) }
    : null;
}

const itemProperties = ({ properties }: FieldSchema): Readonly<Record<string, FieldSchema>> =>
  properties?.data?.items?.properties ?? {};

/** The share of the fields of the contract that an object has. */
function overlapOf(properties: Readonly<Record<string, FieldSchema>>, shape: Shape | null): number {
  if (!shape) return 0;
  const all = Object.keys(properties);
  return all.length === 0 ? 0 : matchNames(properties, shape, []).size / all.length;
}

/** The only field that has the document in it: `{"job": {…}}`. */
function findWrapper(schema: FieldSchema, shape: Shape): string | null {
  const { properties = {} } = schema;
  const objects = [...shape.fields].filter(([name, field]) => isIdentifier(name) && countObjects(field) > 0);
  if (isList(schema)) {
    const [page] = findItems(schema, shape) ? [] : objects.filter(([, field]) => findItems(schema, field));
    return page?.[0] ?? null;
  }
  const own = overlapOf(properties, shape);
  if (own >= 0.5) return null;
  const [best] = objects
    .map(([name, field]) => ({ name, overlap: overlapOf(properties, field) }))
    .sort((one, other) => other.overlap - one.overlap);
  if (!best) return null;
  const isOnly = own === 0 && best.overlap > 0 && objects.length === 1;
  return best.overlap >= 0.5 || isOnly ? best.name : null;
}

/** Words, with a few digits after one of them: `other_chapter99_duty`. */
const IDENTIFIER = /^_*[a-z]+(?:(?:[_-]|\d{1,3}[_-]?)[a-z]+)*\d{0,3}$/i;
const MAX_NAME_LENGTH = 40;

export const isIdentifier = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && IDENTIFIER.test(name);

/**
 * Whether the name of an unknown field may be kept: it has the shape of an identifier and is in every one of several
 * objects. The key of a map in a single object could be a partner's data.
 */
const isKept = (name: string, shape: Shape, count: number): boolean =>
  count > 1 && sumForms(shape) === count && isIdentifier(name);
