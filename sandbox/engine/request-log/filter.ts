import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import type { RequestFilter } from "../../api/requests.ts";
import type { RecordedRequest } from "./request-log.ts";

type RequestPredicate = (exchange: RecordedRequest) => boolean;

/** What each part of a filter asks of a request; null for a value that makes no sense. */
const CRITERIA: {
  readonly [Part in Exclude<keyof RequestFilter, "limit">]-?: (value: unknown) => RequestPredicate | null;
} = {
  operation: (id) =>
    typeof id === "string" && isOperation(id) ? ({ notes }) => notes.operation === id : null,
  status: (value) => {
    const [, pattern] = /^([1-5](?:\d\d|xx))$/i.exec(String(value)) ?? [];
    const wanted = pattern && new RegExp(`^${pattern.replace(/xx/i, "..")}$`);
    return wanted ? ({ result: ended }) => wanted.test(String(ended?.status)) : null;
  },
  method: (name) =>
    typeof name === "string" && /^[a-z]+$/i.test(name) ? ({ method }) => method === name.toUpperCase() : null,
  path: (prefix) =>
    typeof prefix === "string" && prefix.startsWith("/") ? ({ target }) => target.startsWith(prefix) : null,
  since: (number) => (isIntegerFrom(number, 0) ? (exchange) => exchange.number > number : null),
  fault: (is) => (typeof is === "boolean" ? ({ notes }) => (notes.fault !== null) === is : null),
};

const CRITERIA_HINT =
  "operation (an id), status (404 or 4xx), method, path (its beginning), since (a number), fault (true or false), limit";

/** @throws ClaimsError `validation_failed`: from the control API it may be anything */
export function parseFilter(filter: unknown): { readonly test: RequestPredicate; readonly limit: number } {
  const { limit = Number.POSITIVE_INFINITY, ...parts } = isRecord(filter) ? filter : { none: filter };
  if (limit !== Number.POSITIVE_INFINITY && !isIntegerFrom(limit, 1)) throw invalidFilter("limit", limit);
  const tests = Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const part = Object.hasOwn(CRITERIA, name) ? CRITERIA[name as keyof typeof CRITERIA] : null;
      return part?.(value) ?? throwInvalidFilter(name, value);
    });
  return { test: (exchange) => tests.every((test) => test(exchange)), limit: limit as number };
}

const isIntegerFrom = (value: unknown, least: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least;

const isOperation = (wanted: string): boolean => ALL_OPERATIONS.some(({ id }) => id === wanted);

function throwInvalidFilter(name: string, value: unknown): never {
  throw invalidFilter(name, value);
}

const invalidFilter = (name: string, value: unknown): ClaimsError =>
  new ClaimsError(
    "usage",
    "validation_failed",
    `requests cannot be chosen by ${name} = ${quoteValue(value)}`,
    { hint: `there is ${CRITERIA_HINT}` },
  );
