import { JOB_STATES } from "../../domain/diligence/states.ts";
import { ALL_OPERATIONS } from "../operations/operations.ts";
import { PROBLEMS } from "../problems.ts";
import { classifyError, classifyProblem, writeErrorWord } from "./errors.ts";
import {
  findHeaderName,
  findItemsLine,
  findPaging,
  KEY_OF_ITEM,
  listFieldLines,
  listPagingPaths,
} from "./lines.ts";
import type { JobWords, Mapping, Paging } from "./mapping.ts";
import { listLineMistakes, type MappingMistake } from "./parse.ts";
import { formatPath, isWithin, type Path, toPath } from "./path.ts";
import { listBodyNames, listQueryNames, listSubjects, type Subject } from "./subjects.ts";
import { readWord, writeWord } from "./values.ts";

/** A line with its place. A place may be inside of one that only holds fields. */
interface Place {
  readonly key: string;
  readonly path: Path;
  readonly isHolder?: boolean;
}

/** Every mistake of a mapping: what keeps `read` from being the inverse of `write` (product.md §10). */
export function checkMapping(value: unknown): readonly MappingMistake[] {
  const unreadable = listLineMistakes(value);
  if (unreadable.length > 0) return unreadable;
  const mapping = value as Mapping;
  return [
    ...listSubjects().flatMap((subject) => checkSubject(mapping, subject)),
    ...checkSubmitted(mapping),
    ...Object.entries(mapping).flatMap(([key, line]) =>
      key === "paging" || key.endsWith(".paging") ? checkPaging(key, line as Paging) : [],
    ),
    ...checkPlaces(["error.code", "error.message"].flatMap((key) => toPlace(mapping, key))),
    ...checkRequests(mapping),
    ...checkWords("job.words", mapping["job.words"]),
    ...checkWords("scan.words", mapping["scan.words"]),
    ...checkErrorWords(mapping),
  ];
}

const toPlace = (mapping: Mapping, key: string): readonly Place[] =>
  typeof mapping[key] === "string" ? [{ key, path: toPath(mapping[key]) }] : [];

function checkSubject(mapping: Mapping, subject: Subject): readonly MappingMistake[] {
  const { name, isList } = subject;
  const lines = listFieldLines(mapping, subject);
  if (!isList) {
    const document = toPlace(mapping, name).map((place) => ({ ...place, isHolder: true }));
    return checkPlaces([...document, ...lines]);
  }
  const items = findItemsLine(mapping, name);
  const key = mapping[`${name}.paging`] ? `${name}.paging` : "paging";
  const paging = items ? listPagingPaths(findPaging(mapping, name)).map((path) => ({ key, path })) : [];
  const isKeyWithoutMap = mapping[`${name}.id`] === KEY_OF_ITEM && items?.isById !== true;
  return [
    ...checkPlaces([...(items ? [{ key: name, path: items.path }] : []), ...paging]),
    ...checkPlaces(lines),
    ...(isKeyWithoutMap
      ? [
          {
            key: `${name}.id`,
            message: `"{}" is the key of an object by id: write {} after the path of ${name}`,
          },
        ]
      : []),
  ];
}

function checkPlaces(places: readonly Place[]): readonly MappingMistake[] {
  return places.flatMap(({ key, path }, index) =>
    places.slice(0, index).flatMap((other) => {
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

function checkSubmitted(mapping: Mapping): readonly MappingMistake[] {
  if (mapping["submitted.body"] === undefined) return [];
  return Object.entries(mapping).flatMap(([key, line]) =>
    /^submitted\.(?!body$)/.test(key) && findHeaderName(String(line)) === null
      ? [{ key, message: 'submitted.body is "none", so it has no place in the body' }]
      : [],
  );
}

function checkPaging(key: string, paging: Paging): readonly MappingMistake[] {
  const ends = typeof paging === "string" ? [] : ["more", "pages", "total"].filter((name) => name in paging);
  return ends.length > 1 ? [{ key, message: `${ends.join(" and ")}: one of them ends the list` }] : [];
}

/** Two lines of one request must not name one place. */
function checkRequests(mapping: Mapping): readonly MappingMistake[] {
  const mistakes = ALL_OPERATIONS.flatMap((operation) => [
    ...checkPlaces(listBodyNames(operation).flatMap((name) => toPlace(mapping, `body.${name}`))),
    ...checkPlaces(
      listQueryNames(operation).flatMap((name) => {
        const line = mapping[`query.${name}`];
        return typeof line === "string"
          ? [{ key: `query.${name}`, path: [{ name: line, isList: false }] }]
          : [];
      }),
    ),
  ]);
  return [...new Map(mistakes.map((each) => [each.key + each.message, each])).values()];
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
  const mistakes = Object.entries(PROBLEMS).flatMap(([own, { status }]) => {
    const errorClass = classifyProblem(words, { status, code: own });
    const written = writeErrorWord(words, { status, code: own });
    const read = classifyError(words, hasCode ? written : { ...written, code: null });
    if (read === errorClass) return [];
    const shown = `${written.status}${hasCode ? ` ${written.code}` : ""}`;
    const reason = hasCode ? "" : ", because error.code has no line";
    return [`"${shown}" means ${read}${reason}; say which error means ${errorClass}`];
  });
  return [...new Set(mistakes)].map((text) => ({ key: "error.words", message: text }));
}
