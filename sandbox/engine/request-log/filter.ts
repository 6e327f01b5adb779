import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { findClosest } from "../../../src/domain/text.ts";
import type { RequestFilter } from "../../api/requests.ts";
import { findClosestPath, matchesSomeRoute } from "../faults/route-pattern.ts";
import type { RecordedRequest } from "./request-log.ts";

type RequestPredicate = (request: RecordedRequest) => boolean;

/** Makes a predicate of each filter, or null for an invalid value. */
const CRITERIA: {
  readonly [Name in Exclude<keyof RequestFilter, "limit">]-?: (value: unknown) => RequestPredicate | null;
} = {
  operation: (value) =>
    ALL_OPERATIONS.some(({ id }) => id === value) ? ({ notes }) => notes.operation === value : null,
  status: (value) => {
    const [, pattern] = /^([1-5](?:\d\d|xx))$/i.exec(String(value)) ?? [];
    const wanted = pattern && new RegExp(`^${pattern.replace(/xx/i, "..")}$`);
    return wanted ? ({ result }) => wanted.test(String(result?.status)) : null;
  },
  method: (value) =>
    typeof value === "string" && /^[a-z]+$/i.test(value)
      ? ({ method }) => method === value.toUpperCase()
      : null,
  path: (value) =>
    typeof value === "string" && value.startsWith("/") && matchesSomeRoute(`${value.replace(/\?.*$/s, "")}*`)
      ? ({ target }) => target.startsWith(value)
      : null,
  since: (value) => (isIntegerFrom(0, value) ? ({ number }) => number > value : null),
  fault: (value) => (typeof value === "boolean" ? ({ notes }) => (notes.fault !== null) === value : null),
};

/** @throws ClaimsError `validation_failed` */
export function parseFilter(filter: unknown): { readonly test: RequestPredicate; readonly limit: number } {
  const { limit, ...criteria } = isRecord(filter) ? filter : { filter };
  if (limit !== undefined && !isIntegerFrom(1, limit)) throw invalidFilter("limit", limit);
  const tests = Object.entries(criteria).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const test = Object.hasOwn(CRITERIA, name) && CRITERIA[name as keyof typeof CRITERIA](value);
    if (!test) throw invalidFilter(name, value);
    return test;
  });
  return {
    test: (request) => tests.every((test) => test(request)),
    limit: limit ?? Number.POSITIVE_INFINITY,
  };
}

const isIntegerFrom = (minimum: number, value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= minimum;

const FILTERS =
  "operation (an id), status (404 or 4xx), method, path (its beginning), since (a number), fault (true or false), limit";

/** Names the closest word: a condition with a typing error would never be met, and its negation always. */
function invalidFilter(name: string, value: unknown) {
  const closest = typeof value === "string" ? findClosestValue(name, value) : null;
  return usageError("validation_failed", `invalid filter: ${name} = ${quoteValue(value)}`, {
    hint: closest === null ? `filters are ${FILTERS}` : `the closest one is ${closest}`,
  });
}

function findClosestValue(name: string, value: string): string | null {
  if (name === "path") return findClosestPath(value);
  if (name !== "operation") return null;
  return findClosest(
    value,
    ALL_OPERATIONS.map(({ id }) => id),
    value.length / 2,
  );
}
