import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { findPaging } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
import { type Move, moveValues, pathOf, toPath } from "./path.ts";
import { findResource, listBodyNames, listQueryNames } from "./resources.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

const textOf = (mapping: Mapping, key: string): string | undefined => mapping[key] as string | undefined;

export const writeQuery = (mapping: Mapping, query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [textOf(mapping, `query.${name}`) ?? name, value]),
  );

const listMoves = (mapping: Mapping, operation: Operation): readonly Move[] =>
  listBodyNames(operation).flatMap((name) => {
    const line = textOf(mapping, `body.${name}`);
    return line === undefined ? [] : [{ from: pathOf(name), to: toPath(line) }];
  });

export const writeBody = (mapping: Mapping, operation: Operation, body: object): object =>
  moveValues(body, listMoves(mapping, operation));

/** The inverse of {@link writeBody}; what has no line stays. */
export const readBody = (mapping: Mapping, operation: Operation, body: unknown): unknown =>
  isRecord(body)
    ? moveValues(
        body,
        listMoves(mapping, operation).map(({ from, to }) => ({ from: to, to: from })),
      )
    : body;

/** A query of the contract. */
interface ReadQuery {
  /** Without the parameter of a page that has a number. */
  readonly parameters: URLSearchParams;
  /** The rows before the page, if pages or rows are counted. */
  readonly offset?: number;
  /** The parameter that counts, if no list has such a page. */
  readonly wrongParameter?: string;
  /** Whether one page has all rows. */
  readonly isWhole?: boolean;
}

/** The query of the contract for one of the service. */
export function readQuery(
  mapping: Mapping,
  operation: Operation,
  query: URLSearchParams,
  defaultLimit: number,
): ReadQuery {
  const contractNames = new Map<string, string>();
  for (const name of listQueryNames(operation))
    contractNames.set(textOf(mapping, `query.${name}`) ?? name, name);
  const resource = findResource(operation);
  const paging = resource && findPaging(mapping, resource);
  if (typeof paging === "object") {
    if (paging.size !== undefined) contractNames.set(paging.size, "limit");
    if ("next" in paging && paging.parameter !== undefined) contractNames.set(paging.parameter, "cursor");
  }
  const parameters = new URLSearchParams(
    [...query].map(([name, value]) => [contractNames.get(name) ?? name, value]),
  );
  if (paging === "none") return { parameters, isWhole: true };
  if (typeof paging !== "object" || "next" in paging) return { parameters };
  const [parameter, first, rowsEach] =
    "page" in paging
      ? [paging.page, paging.first ?? 1, Number(parameters.get("limit") ?? defaultLimit)]
      : [paging.offset, 0, 1];
  const text = parameters.get(parameter) ?? String(first);
  parameters.delete(parameter);
  const at = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  return at < first
    ? { parameters, wrongParameter: parameter }
    : { parameters, offset: (at - first) * rowsEach };
}
