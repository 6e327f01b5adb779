import { isRecord } from "../../domain/json.ts";

/** A name on the way to a value. */
interface Step {
  readonly name: string;
  /** Whether `write` makes a list of it, with one item. `read` takes the first item of any list on the way. */
  readonly isList: boolean;
}

/** A place in a JSON document; empty for the whole document. */
export type Path = readonly Step[];

/** A name without dots, or in double quotes as in JSON. */
const NAME = String.raw`(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|[^."[\]{}]+)(?:\[\])?`;

/** The pattern of a path as text. */
export const PATH_PATTERN = String.raw`(?:${NAME}(?:\.${NAME})*)?`;

const IS_PATH = new RegExp(`^${PATH_PATTERN}$`);

/** Names with dots between them; a name that holds a dot stands in double quotes. @throws TypeError for a text that `parseMapping` refuses */
export function toPath(text: string): Path {
  if (!IS_PATH.test(text)) throw new TypeError(`${text} is not a path`);
  return (text.match(new RegExp(NAME, "g")) ?? []).map((step) => {
    const name = step.replace(/\[\]$/, "");
    return { name: name.startsWith('"') ? JSON.parse(name) : name, isList: name !== step };
  });
}

const formatName = (name: string): string =>
  /^[^."[\]{}]+$/.test(name) && !name.startsWith("header:") ? name : JSON.stringify(name);

export const formatPath = (path: Path): string =>
  path.map(({ name, isList }) => formatName(name) + (isList ? "[]" : "")).join(".");

/** The place of a field of the value at a place. */
export const joinPath = (outer: string, name: string): string =>
  outer === "" ? formatName(name) : `${outer}.${formatName(name)}`;

export const pathOf = (...names: readonly string[]): Path => names.map((name) => ({ name, isList: false }));

export const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** Undefined if the path leads nowhere. */
export function valueAtPath(document: unknown, path: Path): unknown {
  let found = document;
  for (const { name, isList } of path) {
    const holder = firstOf(found);
    if (!isRecord(holder) || !Object.hasOwn(holder, name)) return undefined;
    found = isList ? firstOf(holder[name]) : holder[name];
  }
  return found;
}

/** Sets a field whatever its name: `__proto__` is one, too. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

export function putAtPath(document: Record<string, unknown>, path: Path, value: unknown): void {
  let holder = document;
  for (const [index, { name, isList }] of path.entries()) {
    if (index === path.length - 1) setField(holder, name, isList ? [value] : value);
    else {
      const known = Object.hasOwn(holder, name) ? firstOf(holder[name]) : undefined;
      const inner = isRecord(known) ? known : {};
      if (inner !== known) setField(holder, name, isList ? [inner] : inner);
      holder = inner;
    }
  }
}

/** Whether a place is at, or inside of, another one. */
export const isWithin = (path: Path, outer: Path): boolean =>
  outer.every(({ name }, level) => path[level]?.name === name);

/**
 * A copy of a document without the values at these paths, and without the objects that only held them. Of a list on the way,
 * only the first item is changed.
 *
 *     {"a": {"b": 1}, "c": 2}           without a.b   {"c": 2}
 *     {"a": {"b": 1, "c": 2}}           without a.b   {"a": {"c": 2}}
 *     {"a": [{"b": 1}, {"b": 2}]}       without a.b   {"a": [{}, {"b": 2}]}
 */
export function withoutPaths(document: object, paths: readonly Path[]): Record<string, unknown> {
  const members = Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    const innerPaths = paths.filter(([step]) => step?.name === name).map((path) => path.slice(1));
    if (innerPaths.some(({ length }) => length === 0)) return [];
    const [first, ...others]: unknown[] = Array.isArray(value) ? value : [value];
    if (innerPaths.length === 0 || !isRecord(first)) return [[name, value]];
    const left = withoutPaths(first, innerPaths);
    if (Object.keys(left).length === 0 && others.length === 0) return [];
    return [[name, Array.isArray(value) ? [left, ...others] : left]];
  });
  // Also accepts `__proto__` as a name.
  return Object.fromEntries(members);
}

export interface Move {
  readonly from: Path;
  readonly to: Path;
}

/** A copy of a document with values at other places. What was there is left out, and what is nowhere stays so. */
export function moveValues(document: object, moves: readonly Move[]): Record<string, unknown> {
  const paths = moves.flatMap(({ from, to }) => [from, to]);
  const copy = withoutPaths(document, paths);
  for (const { from, to } of moves) {
    const value = valueAtPath(document, from);
    if (value !== undefined) putAtPath(copy, to, value);
  }
  return copy;
}
