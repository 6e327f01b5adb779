// Apart from the schemas, because only a mapping that is read needs the schema compiler.
import { Compile, type Validator } from "typebox/schema";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { usageError } from "../../domain/errors.ts";
import { dropByteOrderMark, isRecord, quoteValue } from "../../domain/json.ts";
import { findClosest } from "../../domain/text.ts";
import { ALL_OPERATIONS } from "../operations/operations.ts";
import { PROBLEMS } from "../problems.ts";
import { classifyError, classifyProblem, writeErrorWord } from "./errors.ts";
import { findHeaderName, findItemsLine, findPaging, KEY_OF_ITEM, listFieldLines } from "./lines.ts";
import { type JobWords, LINE_SCHEMAS, type LineKind, type Mapping } from "./mapping.ts";
import { formatPath, isWithin, type Path, pathOf, toPath } from "./path.ts";
import { listBodyNames, listKeys, listQueryNames, listResources, type Resource } from "./resources.ts";
import { readWord, writeWord } from "./values.ts";

/** What is wrong in a mapping, and in which line; the key is null for all of it. */
export interface MappingMistake {
  readonly key: string | null;
  readonly message: string;
}

const MAX_LENGTH = 1 << 20;

const mistakeOfFile = (message: string): MappingMistake => ({ key: null, message });

/** Every mistake of the text of a mapping. */
export function checkMappingText(json: string): readonly MappingMistake[] {
  if (json.length >= MAX_LENGTH) return [mistakeOfFile("has 1 MiB or more; a mapping has 10 to 40 lines")];
  let value: unknown;
  try {
    value = JSON.parse(dropByteOrderMark(json));
  } catch (cause) {
    return [mistakeOfFile(`is not JSON: ${(cause as Error).message}`)];
  }
  return checkMapping(value);
}

/** @param displayName the file as the user wrote it. @throws ClaimsError `invalid_input` */
export function parseMapping(json: string, displayName: string): Mapping {
  requireNone(checkMappingText(json), displayName);
  return JSON.parse(dropByteOrderMark(json));
}

/** @throws ClaimsError `invalid_input` */
export function requireMapping(value: unknown, displayName: string): Mapping {
  requireNone(checkMapping(value), displayName);
  return value as Mapping;
}

function requireNone([mistake]: readonly MappingMistake[], displayName: string): void {
  if (!mistake) return;
  const { key, message } = mistake;
  throw usageError(
    "invalid_input",
    key === null ? `${displayName} ${message}` : `${displayName}: ${key}: ${message}`,
    {
      hint: "`claims mapping check FILE` names each mistake, `claims help mapping` lists the keys",
    },
  );
}

/** Every mistake of a mapping: what keeps `read` from being the inverse of `write` (product.md §10). */
export function checkMapping(value: unknown): readonly MappingMistake[] {
  if (!isRecord(value)) return [mistakeOfFile("is not an object with the lines of a mapping")];
  const unreadable = checkLines(value, findUnreadableLine);
  if (unreadable.length > 0) return unreadable;
  const mapping = value as Mapping;
  const conflicts = listDocuments(mapping).flatMap(checkPaths);
  return [
    // Several operations have fields of one name.
    ...new Map(conflicts.map((each) => [each.key + each.message, each])).values(),
    ...checkLines(mapping, (key, line) => findUselessLine(mapping, key, line)),
    ...checkWords("job.words", mapping["job.words"]),
    ...checkWords("scan.words", mapping["scan.words"]),
    ...checkErrorWords(mapping),
  ];
}

const checkLines = <Line>(
  lines: Readonly<Record<string, Line>>,
  findFault: (key: string, line: Line) => string | null,
): readonly MappingMistake[] =>
  Object.entries(lines).flatMap(([key, line]) => {
    const message = findFault(key, line);
    return message === null ? [] : [{ key, message }];
  });

function findUnreadableLine(key: string, line: unknown): string | null {
  if (key === "job.jobId" || key === "submitted.jobId")
    return `there is no such key; the id of the job is ${key.replace("jobId", "id")}`;
  const kind = listKeys().get(key);
  if (kind === undefined) {
    const closest = findClosest(key, listKeys().keys());
    return `there is no such key${closest === null ? "" : `; the closest is ${closest}`}`;
  }
  const { description } = LINE_SCHEMAS[kind] as { readonly description?: string };
  return findValidator(kind).Check(line) ? null : `expected ${description} (got ${quoteValue(line)})`;
}

const validators = new Map<LineKind, Validator>();

function findValidator(kind: LineKind): Validator {
  const known = validators.get(kind) ?? Compile(LINE_SCHEMAS[kind]);
  validators.set(kind, known);
  return known;
}

/** Why another line leaves a line without a meaning. */
function findUselessLine(mapping: Mapping, key: string, line: Mapping[string]): string | null {
  if (mapping["submitted.body"] !== undefined && /^submitted\.(?!body$)/.test(key))
    return findHeaderName(String(line)) === null
      ? 'submitted.body is "none", so it has no place in the body'
      : null;
  const list = key.replace(/\.id$/, "");
  if (line === KEY_OF_ITEM && !findItemsLine(mapping, list)?.isById)
    return `"{}" is the key of an object by id: write {} after the path of ${list}`;
  if (typeof line !== "object" || !/^(.*\.)?paging$/.test(key)) return null;
  const ends = ["more", "pages", "total"].filter((name) => name in line);
  return ends.length > 1 ? `${ends.join(" and ")}: one of them ends the list` : null;
}

/** A path with the key of its line. It may be inside of one that only holds fields. */
interface KeyedPath {
  readonly key: string;
  readonly path: Path;
  readonly isHolder?: boolean;
}

/** The paths of the lines in each document of a service: records, items, pages of lists, errors and requests. */
function listDocuments(mapping: Mapping): readonly (readonly KeyedPath[])[] {
  const listPaths = (keys: readonly string[], parse = toPath): readonly KeyedPath[] =>
    keys.flatMap((key) => {
      const line = mapping[key];
      return typeof line === "string" ? [{ key, path: parse(line) }] : [];
    });
  return [
    ...listResources().flatMap((resource) => {
      const fields = listFieldLines(mapping, resource).map(({ key, servicePath: path }) => ({ key, path }));
      if (resource.isList) return [fields, listPagePaths(mapping, resource)];
      const holders = listPaths([resource.name]).map((each) => ({ ...each, isHolder: true }));
      return [[...holders, ...fields]];
    }),
    listPaths(["error.code", "error.message"]),
    ...ALL_OPERATIONS.flatMap((operation) => [
      listPaths(listBodyNames(operation).map((name) => `body.${name}`)),
      listPaths(
        listQueryNames(operation).map((name) => `query.${name}`),
        (name) => pathOf(name),
      ),
    ]),
  ];
}

/** Where the response itself has its items, and says what its next page is. */
function listPagePaths(mapping: Mapping, resource: Resource): readonly KeyedPath[] {
  const { name } = resource;
  const items = findItemsLine(mapping, name);
  if (!items) return [];
  const key = mapping[`${name}.paging`] ? `${name}.paging` : "paging";
  const { next, more, pages, total }: Partial<Record<string, string>> = Object(findPaging(mapping, resource));
  const pagingPaths = [next, more, pages, total].flatMap((line) =>
    line === undefined || findHeaderName(line) !== null ? [] : [{ key, path: toPath(line) }],
  );
  return [{ key: name, path: items.path }, ...pagingPaths];
}

function checkPaths(paths: readonly KeyedPath[]): readonly MappingMistake[] {
  return paths.flatMap(({ key, path }, index) =>
    paths.slice(0, index).flatMap((other) => {
      const isInside = isWithin(path, other.path);
      if (isInside ? other.isHolder && path.length > other.path.length : !isWithin(other.path, path))
        return [];
      const where = formatPath(path) || "the whole document";
      const message =
        path.length === other.path.length
          ? `${where} is the place of ${other.key}, too`
          : `${where} is ${isInside ? "inside" : "around"} the place of ${other.key}`;
      return [{ key, message }];
    }),
  );
}

function checkWords(key: string, words: JobWords | undefined): readonly MappingMistake[] {
  return JOB_STATES.flatMap((state) => {
    const read = readWord(words, writeWord(words, state));
    return read === undefined || read === state
      ? []
      : [{ key, message: `"${state}" means ${read}; say which word means ${state}` }];
  });
}

function checkErrorWords(mapping: Mapping): readonly MappingMistake[] {
  const { "error.words": words, "error.code": code, "error.message": message } = mapping;
  const hasCode = code !== undefined || message === undefined;
  const mistakes = Object.entries(PROBLEMS).flatMap(([contractCode, { status }]) => {
    const errorClass = classifyProblem(words, { status, code: contractCode });
    const written = writeErrorWord(words, { status, code: contractCode });
    const read = classifyError(words, hasCode ? written : { ...written, code: null });
    if (read === errorClass) return [];
    const shown = `${written.status}${hasCode ? ` ${written.code}` : ""}`;
    const reason = hasCode ? "" : ", because error.code has no line";
    return [`"${shown}" means ${read}${reason}; say which error means ${errorClass}`];
  });
  return [...new Set(mistakes)].map((text) => ({ key: "error.words", message: text }));
}
