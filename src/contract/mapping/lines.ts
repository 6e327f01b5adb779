import type { AmountFormat, Mapping, Paging } from "./mapping.ts";
import { type Path, toPath } from "./path.ts";
import type { Field, Subject } from "./subjects.ts";

/** A line of a field: where it is. */
export interface FieldLine {
  readonly key: string;
  readonly field: Field;
  readonly path: Path;
  readonly format: AmountFormat | undefined;
}

/** Says of an id that it is the key of the item. */
export const KEY_OF_ITEM = "{}";

/** The name of a header of the response, in lower case; null for a path in the body. */
export const findHeaderName = (line: string): string | null =>
  /^header:(.+)$/s.exec(line)?.[1]?.toLowerCase() ?? null;

/** The fields that have a path in the body. */
export function listFieldLines(mapping: Mapping, { name, fields }: Subject): readonly FieldLine[] {
  return fields.flatMap((field): FieldLine[] => {
    const key = `${name}.${field.name}`;
    const line = mapping[key] as string | { path: string; format: AmountFormat } | undefined;
    if (typeof line === "object") return [{ key, field, path: toPath(line.path), format: line.format }];
    const isOutside = key === "submitted.id" && findHeaderName(line ?? "") !== null;
    return line !== undefined && line !== KEY_OF_ITEM && !isOutside
      ? [{ key, field, path: toPath(line), format: undefined }]
      : [];
  });
}

/** Where the items of a list are, and whether they are an object by id. Undefined without a line. */
export function findItemsLine(mapping: Mapping, name: string) {
  const line = mapping[name];
  if (typeof line !== "string") return undefined;
  return { path: toPath(line.replace(/\{\}$/, "")), isById: line.endsWith("{}") };
}

/** Whether a mapping says something of a list, besides how all lists go on. */
export const hasLines = (mapping: Mapping, name: string): boolean =>
  Object.keys(mapping).some((key) => key === name || key.startsWith(`${name}.`));

export const findPaging = (mapping: Mapping, name: string): Paging | undefined =>
  (mapping[`${name}.paging`] ?? mapping.paging) as Paging | undefined;

/** Where the response itself says what its next page is. */
export function listPagingPaths(paging: Paging | undefined): readonly Path[] {
  if (typeof paging !== "object") return [];
  const texts = Object.entries(paging).flatMap(([name, text]) =>
    /^(next|more|pages|total)$/.test(name) && typeof text === "string" ? [text] : [],
  );
  return texts.filter((text) => findHeaderName(text) === null).map(toPath);
}
