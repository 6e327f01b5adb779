import { type ClaimsError, usageError } from "../../../domain/errors.ts";

/** A field of `-f` or `-F`: `seller[name]=Acme` is `Acme` at `seller`, `name`; an empty name appends to a list. */
export interface BodyField {
  readonly key: string;
  readonly path: readonly [string, ...string[]];
  readonly value: string;
}

export function parseField(text: string): BodyField {
  const [, key = "", first = "", more = "", value = ""] =
    /^(([^=[\]]+)((?:\[[^=[\]]*\])*))=(.*)$/s.exec(text) ?? [];
  if (first === "") {
    throw usageError("option_invalid", `"${text.replace(/=.*/s, "=…")}" is not a field`, {
      hint: "write key=value, key[name]=value for a record, key[]=value for a list",
    });
  }
  const rest = [...more.matchAll(/\[([^\]]*)\]/g)].map(([, name = ""]) => name);
  return { key, path: [first, ...rest], value };
}

export type FieldValue = string | number | boolean | null;

export function buildRecord(fields: readonly (readonly [BodyField, FieldValue])[]): object {
  let record: unknown = {};
  for (const [{ key, path }, value] of fields) record = setAt(record, path, value, key);
  return record as object;
}

function setAt(
  container: unknown,
  [name, ...rest]: readonly string[],
  value: FieldValue,
  key: string,
): unknown {
  if (name === undefined) {
    if (container === undefined) return value;
    throw fieldClashError(key);
  }
  return name === ""
    ? addToList(container ?? [], rest, value, key)
    : setInRecord(container ?? {}, name, rest, value, key);
}

/** `a[][x]=1 a[][y]=2` is one item with two names; a name that the last item already has starts another item. */
function addToList(list: unknown, rest: readonly string[], value: FieldValue, key: string): unknown[] {
  if (!Array.isArray(list)) throw fieldClashError(key);
  const [next] = rest;
  const last: unknown = list.at(-1);
  const isSameItem = next && typeof last === "object" && last !== null && !Object.hasOwn(last, next);
  return isSameItem
    ? [...list.slice(0, -1), setAt(last, rest, value, key)]
    : [...list, setAt(undefined, rest, value, key)];
}

function setInRecord(record: unknown, name: string, rest: readonly string[], value: FieldValue, key: string) {
  if (typeof record !== "object" || record === null || Array.isArray(record)) throw fieldClashError(key);
  const entries = new Map(Object.entries(record));
  entries.set(name, setAt(entries.get(name), rest, value, key));
  return Object.fromEntries(entries);
}

const fieldClashError = (key: string): ClaimsError =>
  usageError("option_conflict", `the field ${key} contradicts an earlier field`, {
    hint: "give a field once; key[]=value makes a list of several",
  });
