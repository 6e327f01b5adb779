import { isRecord } from "../../domain/json.ts";
import { type FieldLine, findHeaderName, KEY_OF_ITEM, listFieldLines } from "./lines.ts";
import type { AmountFormat, JobWords, Mapping } from "./mapping.ts";
import {
  isWithin,
  joinPaths,
  overlaps,
  type Path,
  pathOf,
  putAtPath,
  setField,
  toPath,
  valueAtPath,
  withoutPaths,
} from "./path.ts";
import type { Field, Subject } from "./subjects.ts";
import { createTimeWriter, mapTimes, readAmount, readTime, writeAmount } from "./values.ts";
import { readWord, writeWord } from "./words.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Names of the interface (§2, §4) that are found at any depth of a record. */
const DOCUMENTED_NAMES =
  /^(rf8Review|signingSecret|subscribedEvents|environmentScope|secretPrefix|attemptCount|lastResponseStatus|lastError|lastAttemptAt|nextAttemptAt|deliveredAt)$/;

/** A field of the contract with its place in the record of the service; null if the service does not send it. */
interface PlacedField {
  readonly field: Field;
  readonly at: Path | null;
  readonly format?: AmountFormat | undefined;
}

/** Reads and writes a record, or an item of a list, by the same lines. */
export interface RecordMapper {
  /** Where the fields without a line are. */
  readonly base: Path;
  /** The names of the contract for what is mapped, and every other field under its own name. */
  read(document: unknown): Record<string, unknown>;
  write(record: Fields): Record<string, unknown>;
}

/** Makes the mapper of each record once. */
export function createRecordMappers(mapping: Mapping): (subject: Subject) => RecordMapper {
  const mappers = new Map<string, RecordMapper>();
  return (subject) => {
    const mapper = mappers.get(subject.name) ?? createRecordMapper(mapping, subject);
    mappers.set(subject.name, mapper);
    return mapper;
  };
}

function createRecordMapper(mapping: Mapping, subject: Subject): RecordMapper {
  const { isList, schema } = subject;
  const lines = listFieldLines(mapping, subject);
  const base = findBase(mapping, subject, lines);
  const fields = placeFields(subject, lines, base, findUnplacedId(mapping, subject));
  const words = findWords(mapping, subject);
  const taken = lines.map(({ path }) => path);
  const mappedNames = lines.map(({ field }) => pathOf(...field.path));
  const writeTime = createTimeWriter(mapping.times);
  return {
    base,

    read(document) {
      const outer = isList && isRecord(document) ? withoutPaths(document, [base, ...taken]) : {};
      const holder = valueAtPath(document, base);
      const inside = taken.filter((path) => isWithin(path, base)).map((path) => path.slice(base.length));
      const own = isRecord(holder) ? withoutPaths(holder, inside) : {};
      // A field under a name of the contract whose line is elsewhere is another one.
      const found = withoutPaths(Object.assign(outer, own), mappedNames);
      for (const { field, at } of fields) {
        const isFound = field.path.length > 1 || Object.hasOwn(found, field.name);
        const isSearched = DOCUMENTED_NAMES.test(field.name) && !isFound && at !== null;
        const value = isSearched ? findShallowest(document, field.name) : undefined;
        if (value !== undefined) setField(found, field.name, value);
      }
      for (const { field, path, format } of lines) {
        const value = valueAtPath(document, path);
        if (value !== undefined)
          putAtPath(found, pathOf(...field.path), field.isAmount ? readAmount(value, format) : value);
      }
      if (words) readState(found, words, Boolean(mapping[`${subject.name}.state`]));
      return mapTimes(found, schema, readTime) as Record<string, unknown>;
    },

    write(record) {
      const sent: Record<string, unknown> = {};
      if (base.length > 0) putAtPath(sent, base, {});
      const named = mapTimes(record, schema, writeTime) as Record<string, unknown>;
      for (const { field, at, format } of fields) {
        const value = valueAtPath(named, pathOf(...field.path));
        if (value === undefined || at === null) continue;
        const isState = words !== undefined && field.name === "state";
        putAtPath(sent, at, isState ? writeWord(words, value) : writeAmount(value, format));
      }
      for (const [name, value] of Object.entries(named)) {
        const at = joinPaths(base, pathOf(name));
        const isOther = !Object.hasOwn(schema.properties ?? {}, name);
        if (isOther && !taken.some((path) => overlaps(path, at))) putAtPath(sent, at, value);
      }
      return sent;
    },
  };
}

/** The document of a record, or the object that holds its id. */
function findBase(mapping: Mapping, { name, isList }: Subject, lines: readonly FieldLine[]): Path {
  const document = mapping[name];
  if (!isList && typeof document === "string") return toPath(document);
  return lines.find(({ field }) => field.name === "id")?.path.slice(0, -1) ?? [];
}

/** Whether the id is the key of its item, or outside of the body. */
function findUnplacedId(mapping: Mapping, { name }: Subject): boolean {
  const line = mapping[`${name}.id`];
  return line === KEY_OF_ITEM || (name === "submitted" && findHeaderName(String(line)) !== null);
}

const findWords = (mapping: Mapping, { name }: Subject): JobWords | undefined => {
  if (name === "job" || name === "submitted") return mapping["job.words"];
  return name === "scan" ? (mapping["scan.words"] ?? mapping["job.words"]) : undefined;
};

function placeFields(
  { fields }: Subject,
  lines: readonly FieldLine[],
  base: Path,
  hasUnplacedId: boolean,
): readonly PlacedField[] {
  const listInside = ({ path }: Field) =>
    fields.filter(
      (other) =>
        other.path.length === path.length + 1 && path.every((name, level) => other.path[level] === name),
    );
  const place = (field: Field): readonly PlacedField[] => {
    const line = lines.find((each) => each.field === field);
    if (line) return [{ field, at: line.path, format: line.format }];
    const hasLinesInside = lines.some(
      (each) =>
        each.field.path.length > field.path.length &&
        field.path.every((name, level) => each.field.path[level] === name),
    );
    if (hasLinesInside) return listInside(field).flatMap(place);
    const at = joinPaths(base, pathOf(...field.path));
    const isDisplaced = lines.some(({ path }) => overlaps(path, at));
    return [{ field, at: isDisplaced || (hasUnplacedId && field.name === "id") ? null : at }];
  };
  return fields.filter(({ path }) => path.length === 1).flatMap(place);
}

/** Without a line, the word is at the usual places. */
function readState(found: Record<string, unknown>, words: JobWords, hasLine: boolean): void {
  const word = found.state ?? (hasLine ? undefined : found.status);
  const state = readWord(words, word);
  if (state !== undefined) found.state = state;
}

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

const MAX_DEPTH = 20;
