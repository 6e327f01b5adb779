import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { findPaging } from "./lines.ts";
import type { Mapping, Paging } from "./mapping.ts";
import { pathOf, putAtPath, toPath, valueAtPath, withoutPaths } from "./path.ts";
import { findSubject, listBodyNames, listQueryNames } from "./subjects.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

const textOf = (mapping: Mapping, key: string): string | undefined => mapping[key] as string | undefined;

export const writeQuery = (mapping: Mapping, query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [textOf(mapping, `query.${name}`) ?? name, value]),
  );

export function writeBody(mapping: Mapping, body: object): object {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const line = textOf(mapping, `body.${name}`);
    if (value !== undefined) putAtPath(sent, line === undefined ? pathOf(name) : toPath(line), value);
  }
  return sent;
}

/** The inverse of {@link writeBody}; what has no line stays. */
export function readBody(mapping: Mapping, operation: Operation, body: unknown): unknown {
  const lines = listBodyNames(operation).flatMap((name) => {
    const line = textOf(mapping, `body.${name}`);
    return line === undefined ? [] : [[name, toPath(line)] as const];
  });
  if (lines.length === 0 || !isRecord(body)) return body;
  const read = withoutPaths(
    body,
    lines.map(([, path]) => path),
  );
  for (const [name, path] of lines) {
    const value = valueAtPath(body, path);
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** The query of the contract for one of the service. */
export function readQuery(mapping: Mapping, operation: Operation, sent: URLSearchParams): URLSearchParams {
  const ownNames = new Map<string, string>();
  for (const name of listQueryNames(operation)) ownNames.set(textOf(mapping, `query.${name}`) ?? name, name);
  const paging = findListPaging(mapping, operation);
  if (typeof paging === "object") {
    if (paging.size !== undefined) ownNames.set(paging.size, "limit");
    if ("next" in paging && paging.parameter !== undefined) ownNames.set(paging.parameter, "cursor");
  }
  return new URLSearchParams([...sent].map(([name, value]) => [ownNames.get(name) ?? name, value]));
}

/** Where the page begins that a query asks for: after so many rows, or where the cursor says. */
export type PageStart =
  | { readonly kind: "cursor" }
  | { readonly kind: "whole" }
  /** The parameter counts pages or rows. Without a number of rows, no list has such a page. */
  | { readonly kind: "offset"; readonly parameter: string; readonly rows: number | null };

/** @param query that of {@link readQuery} */
export function readPageStart(
  mapping: Mapping,
  operation: Operation,
  query: URLSearchParams,
  defaultLimit: number,
): PageStart {
  const paging = findListPaging(mapping, operation);
  if (paging === "none") return { kind: "whole" };
  if (typeof paging !== "object" || "next" in paging) return { kind: "cursor" };
  const isByPage = "page" in paging;
  const parameter = isByPage ? paging.page : paging.offset;
  const first = isByPage ? (paging.first ?? 1) : 0;
  const rowsEach = isByPage ? Number(query.get("limit") ?? defaultLimit) : 1;
  const text = query.get(parameter) ?? String(first);
  const at = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  return { kind: "offset", parameter, rows: at < first ? null : (at - first) * rowsEach };
}

function findListPaging(mapping: Mapping, operation: Operation): Paging | undefined {
  const subject = findSubject(operation);
  return subject?.isList ? findPaging(mapping, subject.name) : undefined;
}
