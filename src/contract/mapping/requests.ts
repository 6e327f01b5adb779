import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { findPaging } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
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

/** Where the page begins that a query asks for: after so many rows, or where the cursor says. */
export type PageStart =
  | { readonly kind: "cursor" }
  | { readonly kind: "whole" }
  | { readonly kind: "offset"; readonly rows: number }
  /** No list has such a page. */
  | { readonly kind: "invalid"; readonly parameter: string };

/** The query of the contract for one of the service, and the page that it asks for. @param limit of a page without a size */
export function readQuery(mapping: Mapping, operation: Operation, sent: URLSearchParams, limit: number) {
  const subject = findSubject(operation);
  const paging = subject?.isList ? findPaging(mapping, subject.name) : undefined;
  const { size, parameter, page, offset } = Object(paging) as Partial<
    Record<"size" | "parameter" | "page" | "offset", string>
  >;
  const names = new Map([
    ...listQueryNames(operation).map((name) => [textOf(mapping, `query.${name}`) ?? name, name] as const),
    ...(size === undefined ? [] : [[size, "limit"] as const]),
    ...(parameter === undefined ? [] : [[parameter, "cursor"] as const]),
  ]);
  const query = new URLSearchParams([...sent].map(([name, value]) => [names.get(name) ?? name, value]));
  if (paging === "none") return { query, start: { kind: "whole" } as PageStart };
  const counter = page ?? offset;
  if (counter === undefined) return { query, start: { kind: "cursor" } as PageStart };
  query.delete(counter);
  const first = page === undefined ? 0 : (Object(paging).first ?? 1);
  return {
    query,
    start: readStart(
      counter,
      sent.get(counter) ?? String(first),
      first,
      page === undefined ? 1 : Number(query.get("limit") ?? limit),
    ),
  };
}

function readStart(parameter: string, text: string, first: number, rowsEach: number): PageStart {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  return at < first ? { kind: "invalid", parameter } : { kind: "offset", rows: (at - first) * rowsEach };
}
