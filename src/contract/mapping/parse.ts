// Apart from the schema, because only a mapping that is read needs the schema compiler.
import { Compile, type Validator } from "typebox/schema";
import { usageError } from "../../domain/errors.ts";
import { dropByteOrderMark, isRecord, quoteValue } from "../../domain/json.ts";
import { findClosest } from "../../domain/text.ts";
import { LINES, type LineKind, type Mapping } from "./mapping.ts";
import { listKeys } from "./subjects.ts";

/** What is wrong in a mapping, and in which line; the key is null for all of it. */
export interface MappingMistake {
  readonly key: string | null;
  readonly message: string;
}

export const MAX_MAPPING_LENGTH = 1 << 20;

/** @param shownAs the file as the user wrote it. @throws ClaimsError `invalid_input` */
export function parseMapping(json: string, shownAs: string): Mapping {
  if (json.length >= MAX_MAPPING_LENGTH)
    throw invalidMappingError(shownAs, {
      key: null,
      message: "has 1 MiB or more; a mapping has 10 to 40 lines",
    });
  let value: unknown;
  try {
    value = JSON.parse(dropByteOrderMark(json));
  } catch (cause) {
    const { message } = cause as Error;
    throw invalidMappingError(shownAs, { key: null, message: `is not JSON: ${message}` });
  }
  return requireMapping(value, shownAs);
}

/** @throws ClaimsError `invalid_input` */
export function requireMapping(value: unknown, shownAs: string): Mapping {
  const [mistake] = listLineMistakes(value);
  if (mistake) throw invalidMappingError(shownAs, mistake);
  return value as Mapping;
}

export const invalidMappingError = (shownAs: string, { key, message }: MappingMistake) =>
  usageError("invalid_input", key === null ? `${shownAs} ${message}` : `${shownAs}: ${key}: ${message}`, {
    hint: "`claims mapping check FILE` names each mistake, `claims help mapping` lists the keys",
  });

/** The lines that cannot be read, each by itself. */
export function listLineMistakes(value: unknown): MappingMistake[] {
  if (!isRecord(value)) return [{ key: null, message: "is not an object with the lines of a mapping" }];
  return Object.entries(value).flatMap(([key, line]) => {
    const message = findLineFault(key, line);
    return message === null ? [] : [{ key, message }];
  });
}

function findLineFault(key: string, line: unknown): string | null {
  if (key === "job.jobId" || key === "submitted.jobId")
    return `there is no such key; the id of the job is ${key.replace("jobId", "id")}`;
  const kind = listKeys().get(key);
  if (kind === undefined) {
    const closest = findClosest(key, listKeys().keys());
    return `there is no such key${closest === null ? "" : `; the closest is ${closest}`}`;
  }
  const { description } = LINES[kind] as { readonly description?: string };
  return findValidator(kind).Check(line) ? null : `expected ${description} (got ${quoteValue(line)})`;
}

const validators = new Map<LineKind, Validator>();

function findValidator(kind: LineKind): Validator {
  const known = validators.get(kind) ?? Compile(LINES[kind]);
  validators.set(kind, known);
  return known;
}
