import { isRecord } from "../../domain/json.ts";

/** A place in a JSON document: the names on the way to it. A full stop in a name has a backslash before it. */
export type Place = readonly string[];

export type Fields = Readonly<Record<string, unknown>>;

export const parsePlace = (text: string): Place =>
  text === "" ? [] : text.split(/(?<!\\)\./).map((name) => name.replaceAll("\\.", "."));

export const formatPlace = (place: Place): string =>
  place.map((name) => name.replaceAll(".", "\\.")).join(".");

export function valueAtPlace(document: unknown, place: Place): unknown {
  let found = document;
  for (const name of place) {
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** Sets a field whatever its name: `__proto__` is one, too. */
export function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

/** Whether two places are the same, or one is inside the other. */
export const overlaps = (one: Place, other: Place): boolean =>
  one.every((name, level) => level >= other.length || other[level] === name);

export const isWithin = (place: Place, holder: Place): boolean =>
  holder.every((name, level) => place[level] === name);

export const isInside = (inner: Place, outer: Place): boolean =>
  inner.length > outer.length && isWithin(inner, outer);

export function putAtPlace(document: Record<string, unknown>, place: Place, value: unknown): void {
  let holder = document;
  for (const name of place.slice(0, -1)) {
    if (!isRecord(holder[name]) || !Object.hasOwn(holder, name)) setField(holder, name, {});
    holder = holder[name] as Record<string, unknown>;
  }
  setField(holder, place.at(-1) ?? "", value);
}

export function holdAt(place: Place, value: unknown): unknown {
  if (place.length === 0) return value;
  const holder: Record<string, unknown> = {};
  putAtPlace(holder, place, value);
  return holder;
}

/** Values that always stand at the same places, by the texts of these. */
export type Constants = Readonly<Record<string, unknown>>;

export const listConstants = <Value = unknown>(constants: Readonly<Record<string, Value>> = {}) =>
  Object.entries(constants).map(([place, value]) => [parsePlace(place), value] as const);

export function putConstants(document: unknown, constants: Constants | undefined): unknown {
  if (isRecord(document))
    for (const [place, value] of listConstants(constants)) putAtPlace(document, place, value);
  return document;
}

/** A copy of a document without the values at these places, and without the objects that only held them. */
export function withoutPlaces(document: Fields, places: readonly Place[]): Record<string, unknown> {
  const names = new Set(places.filter(({ length }) => length === 1).map(([name]) => name));
  const nested = new Map<string, Place[]>();
  for (const [name = "", ...rest] of places)
    if (rest.length > 0) nested.set(name, [...(nested.get(name) ?? []), rest]);
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (names.has(name)) continue;
    const inner = nested.get(name);
    if (!inner || !isRecord(value)) {
      setField(copy, name, value);
      continue;
    }
    const left = withoutPlaces(value, inner);
    if (Object.keys(left).length > 0) setField(copy, name, left);
  }
  return copy;
}
