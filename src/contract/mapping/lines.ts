import type { AmountFormat, Mapping, Paging } from "./mapping.ts";
import { type Path, pathOf, toPath } from "./path.ts";
import type { Field, Resource } from "./resources.ts";

/** A line of a field: its place in a document of the service, and in one of the contract. */
export interface FieldLine {
  readonly key: string;
  readonly field: Field;
  readonly servicePath: Path;
  readonly contractPath: Path;
  readonly format: AmountFormat | undefined;
}

/** Says of an id that it is the key of the item. */
export const KEY_OF_ITEM = "{}";

/** The name of a header of the response, in lower case; null for a path in the body. */
export const findHeaderName = (line: string): string | null =>
  /^header:(.+)$/s.exec(line)?.[1]?.toLowerCase() ?? null;

/** Whether a line says that an id is not in the body: it is the key of its item, or in a header. */
export const isOutsideBody = (key: string, line: Mapping[string]): boolean =>
  line === KEY_OF_ITEM || (key === "submitted.id" && findHeaderName(String(line)) !== null);

/** The fields that have a path in the body. */
export function listFieldLines(mapping: Mapping, { name, fields }: Resource): readonly FieldLine[] {
  return fields.flatMap((field): FieldLine[] => {
    const key = `${name}.${field.name}`;
    const line = mapping[key] as string | { path: string; format: AmountFormat } | undefined;
    if (line === undefined || isOutsideBody(key, line)) return [];
    const { path, format } = typeof line === "string" ? { path: line } : line;
    return [{ key, field, servicePath: toPath(path), contractPath: pathOf(...field.path), format }];
  });
}

/** Where the items of a list are, and whether they are an object by id. */
export interface ItemsLine {
  readonly path: Path;
  readonly isById: boolean;
}

/** Undefined without a line. */
export function findItemsLine(mapping: Mapping, name: string): ItemsLine | undefined {
  const line = mapping[name];
  if (typeof line !== "string") return undefined;
  return { path: toPath(line.replace(/\{\}$/, "")), isById: line.endsWith("{}") };
}

/** Whether a mapping says something of a list, besides how all lists go on. */
export const hasLines = (mapping: Mapping, name: string): boolean =>
  Object.keys(mapping).some((key) => key === name || key.startsWith(`${name}.`));

/** How a list goes on. */
export const findPaging = (mapping: Mapping, { isList, name }: Resource): Paging | undefined =>
  isList ? ((mapping[`${name}.paging`] ?? mapping.paging) as Paging | undefined) : undefined;
