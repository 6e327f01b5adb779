import { isRecord } from "../../../domain/json.ts";
import type { ContractRecord } from "../contract-records.ts";
import { formatPlace, type Place, valueAtPlace } from "../places.ts";
import { normalizeName } from "./samples.ts";
import { isUuid } from "./value-forms.ts";

export interface FoundList {
  readonly place: Place;
  readonly isMap: boolean;
}

/** Every array of records, and every object of records by id, at any depth; empty arrays only if there is nothing else. */
export function findLists(documents: readonly unknown[]): FoundList[] {
  const full = new Map<string, FoundList>();
  const empty = new Map<string, FoundList>();
  const visit = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) {
      if (value.length === 0) empty.set(formatPlace(place), { place, isMap: false });
      else if (value.every(isRecord)) full.set(formatPlace(place), { place, isMap: false });
    } else if (isRecord(value)) {
      const entries = Object.entries(value);
      const isMap = entries.length > 0 && entries.every(([key, inner]) => isUuid(key) && isRecord(inner));
      if (isMap) full.set(formatPlace(place), { place, isMap });
      else for (const [name, inner] of entries) visit(inner, [...place, name]);
    }
  };
  for (const document of documents) visit(document, []);
  return [...(full.size > 0 ? full : empty).values()];
}

export const listItems = (document: unknown, { place, isMap }: FoundList): unknown[] => {
  const holder = valueAtPlace(document, place);
  if (!isMap) return Array.isArray(holder) ? holder : [];
  return isRecord(holder)
    ? Object.entries(holder).map(([key, value]) =>
        isRecord(value) && !Object.hasOwn(value, "id") && !Object.values(value).includes(key)
          ? { id: key, ...value }
          : value,
      )
    : [];
};

/** The smallest object that has all fields with names of the contract or known values, or else the document itself. */
export function findRecordPlace(
  record: ContractRecord,
  documents: readonly unknown[],
  isKnown: (value: unknown) => boolean,
): Place {
  const names = new Set([...record.fields.keys()].map(normalizeName));
  const found: Place[] = [];
  const visit = (value: unknown, place: Place): void => {
    if (!isRecord(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      if (names.has(normalizeName(name)) || isKnown(inner)) found.push(place);
      else visit(inner, [...place, name]);
    }
  };
  for (const document of documents) visit(document, []);
  const [first, ...others] = found;
  if (first) return others.reduce((one, other) => one.slice(0, countCommon(one, other)), first);
  return findOnlyObject(documents[0]);
}

/** How many names two places have in common before they part. */
export const countCommon = (one: Place, other: Place): number => {
  const differs = one.findIndex((name, level) => other[level] !== name);
  return differs < 0 ? one.length : differs;
};

function findOnlyObject(document: unknown): Place {
  const place: string[] = [];
  let value = document;
  while (isRecord(value)) {
    const [only, ...others] = Object.entries(value).filter(([, inner]) => isRecord(inner));
    if (!only || others.length > 0 || Object.keys(value).length > 2) break;
    place.push(only[0]);
    value = only[1];
  }
  return place;
}
