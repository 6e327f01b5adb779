import { isRecord } from "../../domain/json.ts";
import { type FieldLine, isOutsideBody, listFieldLines } from "./lines.ts";
import type { JobWords, Mapping } from "./mapping.ts";
import { type Path, pathOf, putAtPath, toPath, valueAtPath, withoutPaths } from "./path.ts";
import type { Subject } from "./subjects.ts";
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

export type RecordMapper = ReturnType<typeof createRecordMapper>;

/** Reads and writes a record, or an item of a list, by the same lines. */
export function createRecordMapper(mapping: Mapping, subject: Subject) {
  const { fields, isList, name, schema } = subject;
  const lines = listFieldLines(mapping, subject);
  const base = findBase(mapping, subject, lines);
  const words = findWords(mapping, name);
  const places = lines.map(({ path }) => path);
  const ownPlaces = lines.map(({ ownPath }) => ownPath);
  const hasLine = (own: string) => lines.some(({ field }) => field.path[0] === own);
  const documented = fields.filter((field) => DOCUMENTED_NAMES.test(field.name) && !hasLine(field.name));
  return {
    /** The names of the contract for what is mapped, and every other field under its own name. */
    read(document: Fields): Fields {
      const others = withoutPaths(document, places);
      const holder = valueAtPath(others, base);
      const beside = isList ? withoutPaths(others, [base]) : {};
      // A field under a name of the contract whose line is elsewhere is another one.
      const found = withoutPaths({ ...beside, ...(isRecord(holder) && holder) }, ownPlaces);
      for (const { name: own } of documented) {
        const value = Object.hasOwn(found, own) ? found[own] : findShallowest(others, own);
        if (value !== undefined) found[own] = value;
      }
      for (const { field, path, ownPath, format } of lines) {
        const value = valueAtPath(document, path);
        if (value !== undefined)
          putAtPath(found, ownPath, field.isAmount ? readAmount(value, format) : value);
      }
      // Without a line, the word is at the usual places.
      const word = found.state ?? (mapping[`${name}.state`] === undefined ? found.status : undefined);
      const state = readWord(words, word);
      if (state !== undefined) found.state = state;
      return mapTimes(found, schema, readTime) as Fields;
    },

    write(record: Fields): Fields {
      const timed = mapTimes(record, schema, createTimeWriter(mapping.times)) as Fields;
      const written = words && "state" in timed ? { ...timed, state: writeWord(words, timed.state) } : timed;
      const idKey = `${name}.id`;
      const id = fields.find((field) => isOutsideBody(idKey, mapping[idKey]) && field.name === "id");
      const others = withoutPaths(written, id ? [...ownPlaces, pathOf(...id.path)] : ownPlaces);
      const document: Record<string, unknown> = {};
      putAtPath(document, base, others);
      // A line whose place is that of a field without one displaces that field.
      const sent = withoutPaths(base.length === 0 ? others : document, places);
      if (base.length > 0 && !isRecord(valueAtPath(sent, base))) putAtPath(sent, base, {});
      for (const { path, ownPath, format } of lines) {
        const value = valueAtPath(written, ownPath);
        if (value !== undefined) putAtPath(sent, path, writeAmount(value, format));
      }
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

const findWords = (mapping: Mapping, name: Subject["name"]): JobWords | undefined => {
  if (name === "job" || name === "submitted") return mapping["job.words"];
  return name === "scan" ? (mapping["scan.words"] ?? mapping["job.words"]) : undefined;
};

const MAX_DEPTH = 20;

/** The value of the first field of a name, level by level. */
function findShallowest(document: unknown, name: string): unknown {
  let level: unknown[] = [document];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const holder = level.filter(isRecord).find((each) => Object.hasOwn(each, name));
    if (holder) return holder[name];
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return undefined;
}
