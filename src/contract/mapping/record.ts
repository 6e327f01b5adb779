import { type Fields, findShallowest, isRecord } from "../../domain/json.ts";
import { type FieldLine, isOutsideBody, listFieldLines } from "./lines.ts";
import type { JobWords, Mapping } from "./mapping.ts";
import { type Path, pathOf, putAtPath, toPath, valueAtPath, withoutPaths } from "./path.ts";
import type { Resource } from "./resources.ts";
import {
  createTimeWriter,
  mapTimes,
  readAmount,
  readTime,
  readWord,
  writeAmount,
  writeWord,
} from "./values.ts";

/** Names of the interface (§2, §4) that are found at any depth of a record. */
const DOCUMENTED_NAMES =
  /^(rf8Review|signingSecret|subscribedEvents|environmentScope|secretPrefix|attemptCount|lastResponseStatus|lastError|lastAttemptAt|nextAttemptAt|deliveredAt)$/;

export type RecordMapper = ReturnType<typeof createRecordMapper>;

/** Reads and writes a record, or an item of a list, by the same lines. */
export function createRecordMapper(mapping: Mapping, resource: Resource) {
  const { fields, isList, name, schema } = resource;
  const lines = listFieldLines(mapping, resource);
  const base = findBase(mapping, resource, lines);
  const words = findWords(mapping, name);
  const servicePaths = lines.map(({ servicePath }) => servicePath);
  const contractPaths = lines.map(({ contractPath }) => contractPath);
  const hasLine = (topName: string) => lines.some(({ field }) => field.path[0] === topName);
  const documented = fields.filter((field) => DOCUMENTED_NAMES.test(field.name) && !hasLine(field.name));

  const convertTimesAndState = (record: Fields): Fields => {
    const timed = mapTimes(record, schema, createTimeWriter(mapping.times)) as Fields;
    return words && "state" in timed ? { ...timed, state: writeWord(words, timed.state) } : timed;
  };

  const omitMappedFields = (record: Fields): Fields => {
    const idKey = `${name}.id`;
    // An id that is the key of its item, or in a header, has a line without a path.
    const id = fields.find((field) => field.name === "id" && isOutsideBody(idKey, mapping[idKey]));
    return withoutPaths(record, id ? [...contractPaths, pathOf(...id.path)] : contractPaths);
  };

  return {
    /** The names of the contract for what is mapped, and every other field under its own name. */
    read(document: Fields): Fields {
      const unmapped = withoutPaths(document, servicePaths);
      const container = valueAtPath(unmapped, base);
      const siblings = isList ? withoutPaths(unmapped, [base]) : {};
      // A field under a name of the contract whose line is elsewhere is another one.
      const record = withoutPaths({ ...siblings, ...(isRecord(container) && container) }, contractPaths);
      for (const field of documented) {
        const isFound = Object.hasOwn(record, field.name);
        const value = isFound ? record[field.name] : findShallowest(unmapped, field.name);
        if (value !== undefined) record[field.name] = value;
      }
      for (const { field, servicePath, contractPath, format } of lines) {
        const value = valueAtPath(document, servicePath);
        if (value !== undefined)
          putAtPath(record, contractPath, field.isAmount ? readAmount(value, format) : value);
      }
      // Without a line, the word is at the usual places.
      const word = record.state ?? (mapping[`${name}.state`] === undefined ? record.status : undefined);
      const state = readWord(words, word);
      if (state !== undefined) record.state = state;
      return mapTimes(record, schema, readTime) as Fields;
    },

    /**
     * Turns a record of the contract into a document of the service. Fields without a line go to `base` unchanged. Fields with a
     * line go to its path, and win over an unmapped field at the same path.
     */
    write(record: Fields): Fields {
      const converted = convertTimesAndState(record);
      const unmapped = nestAt(base, omitMappedFields(converted));
      const document = withoutPaths(unmapped, servicePaths);
      // `base` went too if it held nothing else.
      if (!isRecord(valueAtPath(document, base))) putAtPath(document, base, {});
      for (const { servicePath, contractPath, format } of lines) {
        const value = valueAtPath(converted, contractPath);
        if (value !== undefined) putAtPath(document, servicePath, writeAmount(value, format));
      }
      return document;
    },
  };
}

/** A document with the fields at a path; an empty path is the document itself. */
function nestAt(path: Path, fields: Fields): Fields {
  if (path.length === 0) return fields;
  const document: Record<string, unknown> = {};
  putAtPath(document, path, fields);
  return document;
}

/** The document of a record, or the object that holds its id: the fields without a line are there. */
function findBase(mapping: Mapping, { name, isList }: Resource, lines: readonly FieldLine[]): Path {
  const document = mapping[name];
  if (!isList && typeof document === "string") return toPath(document);
  return lines.find(({ field }) => field.name === "id")?.servicePath.slice(0, -1) ?? [];
}

const findWords = (mapping: Mapping, name: Resource["name"]): JobWords | undefined => {
  if (name === "job" || name === "submitted") return mapping["job.words"];
  return name === "scan" ? (mapping["scan.words"] ?? mapping["job.words"]) : undefined;
};
