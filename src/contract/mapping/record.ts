import { isRecord } from "../../domain/json.ts";
import { type FieldLine, findHeaderName, KEY_OF_ITEM, listFieldLines } from "./lines.ts";
import type { JobWords, Mapping } from "./mapping.ts";
import {
  isWithin,
  overlaps,
  type Path,
  pathOf,
  putAtPath,
  toPath,
  valueAtPath,
  withoutPaths,
} from "./path.ts";
import type { Field, Subject } from "./subjects.ts";
import {
  createTimeWriter,
  mapTimes,
  readAmount,
  readTime,
  readWord,
  writeAmount,
  writeWord,
} from "./values.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Names of the interface (§2, §4) that are found at any depth of a record. */
const DOCUMENTED_NAMES =
  /^(rf8Review|signingSecret|subscribedEvents|environmentScope|secretPrefix|attemptCount|lastResponseStatus|lastError|lastAttemptAt|nextAttemptAt|deliveredAt)$/;

/** Reads and writes a record, or an item of a list, by the same lines. */
export interface RecordMapper {
  /** The names of the contract for what is mapped, and every other field under its own name. */
  read(document: unknown): Record<string, unknown>;
  write(record: Fields): Record<string, unknown>;
}

export function createRecordMapper(mapping: Mapping, subject: Subject): RecordMapper {
  const { isList, name, schema } = subject;
  const lines = listFieldLines(mapping, subject);
  const base = findBase(mapping, subject, lines);
  const words = findWords(mapping, subject);
  const taken = lines.map(({ path }) => path);
  return {
    read(document) {
      const outer = isList && isRecord(document) ? withoutPaths(document, [base, ...taken]) : {};
      const holder = valueAtPath(document, base);
      const inside = taken.filter((path) => isWithin(path, base)).map((path) => path.slice(base.length));
      const own = isRecord(holder) ? withoutPaths(holder, inside) : {};
      // A field under a name of the contract whose line is elsewhere is another one.
      const mappedNames = lines.map(({ field }) => pathOf(...field.path));
      const found = withoutPaths(Object.assign(outer, own), mappedNames);
      addDocumentedFields(found, document, subject, lines);
      for (const { field, path, format } of lines) {
        const value = valueAtPath(document, path);
        if (value !== undefined)
          putAtPath(found, pathOf(...field.path), field.isAmount ? readAmount(value, format) : value);
      }
      if (words) readState(found, words, mapping[`${name}.state`] !== undefined);
      return mapTimes(found, schema, readTime) as Record<string, unknown>;
    },

    write(record) {
      const sent: Record<string, unknown> = {};
      if (base.length > 0) putAtPath(sent, base, {});
      const write = (value: unknown, names: readonly string[]): void => {
        if (value === undefined) return;
        const written = words && names.join() === "state" ? writeWord(words, value) : value;
        const line = lines.find(({ field }) => field.path.join() === names.join());
        if (line) putAtPath(sent, line.path, writeAmount(written, line.format));
        else if (isRecord(value) && lines.some(({ field }) => isInside(field, names))) {
          for (const [inner, each] of Object.entries(value)) write(each, [...names, inner]);
        } else {
          const at = [...base, ...pathOf(...names)];
          const isDisplaced = taken.some((path) => overlaps(path, at));
          if (!isDisplaced && !isIdElsewhere(mapping, subject, names)) putAtPath(sent, at, written);
        }
      };
      const timed = mapTimes(record, schema, createTimeWriter(mapping.times)) as Fields;
      for (const [field, value] of Object.entries(timed)) write(value, [field]);
      return sent;
    },
  };
}

/** The document of a record, or the object that holds its id: the fields without a line are there. */
function findBase(mapping: Mapping, { name, isList }: Subject, lines: readonly FieldLine[]): Path {
  const document = mapping[name];
  if (!isList && typeof document === "string") return toPath(document);
  return lines.find(({ field }) => field.name === "id")?.path.slice(0, -1) ?? [];
}

const findWords = (mapping: Mapping, { name }: Subject): JobWords | undefined => {
  if (name === "job" || name === "submitted") return mapping["job.words"];
  return name === "scan" ? (mapping["scan.words"] ?? mapping["job.words"]) : undefined;
};

const isInside = ({ path }: Field, names: readonly string[]): boolean =>
  path.length > names.length && names.every((name, level) => path[level] === name);

/** Whether the field is an id that is the key of its item, or in a header. */
function isIdElsewhere(mapping: Mapping, { name, fields }: Subject, names: readonly string[]): boolean {
  const line = mapping[`${name}.id`];
  const isElsewhere = line === KEY_OF_ITEM || (name === "submitted" && findHeaderName(String(line)) !== null);
  return isElsewhere && fields.some((field) => field.name === "id" && field.path.join() === names.join());
}

/** Adds the documented fields without a line, wherever they are. A place that a line names is that of another field. */
function addDocumentedFields(
  found: Record<string, unknown>,
  document: unknown,
  { fields }: Subject,
  lines: readonly FieldLine[],
): void {
  const missing = fields.filter(
    ({ name }) =>
      DOCUMENTED_NAMES.test(name) &&
      !Object.hasOwn(found, name) &&
      !lines.some(({ field }) => field.path[0] === name),
  );
  if (missing.length === 0 || !isRecord(document)) return;
  const others = withoutPaths(
    document,
    lines.map(({ path }) => path),
  );
  for (const { name } of missing) {
    const value = findShallowest(others, name);
    if (value !== undefined) found[name] = value;
  }
}

/** Without a line, the word is at the usual places. */
function readState(found: Record<string, unknown>, words: JobWords, hasLine: boolean): void {
  const word = found.state ?? (hasLine ? undefined : found.status);
  const state = readWord(words, word);
  if (state !== undefined) found.state = state;
}

const MAX_DEPTH = 20;

/** The value of the first field of a name, level by level. */
function findShallowest(document: unknown, name: string): unknown {
  let level: unknown[] = [document];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const holder = level.find((each) => isRecord(each) && Object.hasOwn(each, name));
    if (holder) return (holder as Fields)[name];
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return undefined;
}
