import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import type { RequestFilter } from "../../journal.ts";
import type { Exchange } from "./journal.ts";

type Test = (exchange: Exchange) => boolean;

/** What each part of a filter asks of a request; null for a value that makes no sense. */
const PARTS: { readonly [Part in Exclude<keyof RequestFilter, "limit">]-?: (value: unknown) => Test | null } =
  {
    operation: (id) =>
      typeof id === "string" && isOperation(id) ? ({ notes }) => notes.operation === id : null,
    status: (value) => {
      const [, pattern] = /^([1-5](?:\d\d|xx))$/i.exec(String(value)) ?? [];
      const wanted = pattern && new RegExp(`^${pattern.replace(/xx/i, "..")}$`);
      return wanted ? ({ ended }) => wanted.test(String(ended?.status)) : null;
    },
    method: (name) =>
      typeof name === "string" && /^[a-z]+$/i.test(name)
        ? ({ method }) => method === name.toUpperCase()
        : null,
    path: (prefix) =>
      typeof prefix === "string" && prefix.startsWith("/") ? ({ target }) => target.startsWith(prefix) : null,
    since: (number) => (isWhole(number, 0) ? (exchange) => exchange.number > number : null),
    fault: (is) => (typeof is === "boolean" ? ({ notes }) => (notes.fault !== null) === is : null),
  };

const WAYS =
  "operation (an id), status (404 or 4xx), method, path (its beginning), since (a number), fault (true or false), limit";

/** @throws ClaimsError `validation_failed`: from the control API it may be anything */
export function readFilter(filter: unknown): { readonly test: Test; readonly limit: number } {
  const { limit = Number.POSITIVE_INFINITY, ...parts } = isRecord(filter) ? filter : { none: filter };
  if (limit !== Number.POSITIVE_INFINITY && !isWhole(limit, 1)) throw faulty("limit", limit);
  const tests = Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const part = Object.hasOwn(PARTS, name) ? PARTS[name as keyof typeof PARTS] : null;
      return part?.(value) ?? fail(name, value);
    });
  return { test: (exchange) => tests.every((test) => test(exchange)), limit: limit as number };
}

const isWhole = (value: unknown, least: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least;

const isOperation = (wanted: string): boolean => ALL_OPERATIONS.some(({ id }) => id === wanted);

function fail(name: string, value: unknown): never {
  throw faulty(name, value);
}

const faulty = (name: string, value: unknown): ClaimsError =>
  new ClaimsError(
    "usage",
    "validation_failed",
    `requests cannot be chosen by ${name} = ${quoteValue(value)}`,
    { hint: `there is ${WAYS}` },
  );
