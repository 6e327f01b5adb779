import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { usageError } from "../../../src/domain/errors.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { isHttpDate } from "../../../src/domain/retry-after.ts";
import { findClosest } from "../../../src/domain/text.ts";
import type { FaultEffect, FaultMatch, FaultRule, FaultSpec } from "../../api/faults.ts";
import { findClosestPath, matchesSomeRoute } from "./route-pattern.ts";

export type ValidRule = Pick<FaultRule, "match" | "phase" | "times" | "skip" | "probability" | "then">;

/** Ten minutes. */
const MAX_DELAY_MS = 600_000;

/** A day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

const MAX_COUNT = 1_000_000_000;

type FieldCheck = readonly [isValid: (value: unknown) => boolean, description: string];

const integer = (minimum: number, maximum: number): FieldCheck => [
  (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  `a whole number from ${minimum} to ${maximum}`,
];

const pattern = (regExp: RegExp, description: string): FieldCheck => [
  (value) => typeof value === "string" && regExp.test(value),
  description,
];

const FLAG: FieldCheck = [(value) => typeof value === "boolean", "true or false"];

const OPERATION_IDS: readonly string[] = ALL_OPERATIONS.map(({ id }) => id);

const MATCH_FIELDS: Readonly<Record<keyof FaultMatch, FieldCheck>> = {
  operation: [
    (value) => OPERATION_IDS.some((id) => id === value),
    "the id of an operation, such as diligence.submit",
  ],
  path: pattern(/^[/*][^?#]{0,499}$/, "a path without its query, in which * matches any characters"),
  method: pattern(/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/, "GET, HEAD, POST, PUT, PATCH or DELETE"),
  header: [isHeaders, "exact values by name, or true for any value"],
};

const EFFECT_FIELDS: Readonly<Record<keyof FaultEffect, FieldCheck>> = {
  status: integer(400, 599),
  retryAfter: [
    isRetryAfter,
    `seconds (0 to ${MAX_RETRY_AFTER_SECONDS}), a duration such as 30s, or a date such as Fri, 20 Nov 2026 00:00:30 GMT`,
  ],
  delay: [
    (value) =>
      typeof value === "string" && (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= MAX_DELAY_MS,
    "a duration such as 500ms or 2s, at most 10m",
  ],
  reset: FLAG,
  hang: FLAG,
  truncate: FLAG,
};

const RULE_FIELDS: Readonly<Record<keyof FaultSpec, FieldCheck>> = {
  match: [isRecord, `an object with some of ${listNames(MATCH_FIELDS)}`],
  phase: pattern(/^(before|after)$/, "before or after"),
  times: integer(1, MAX_COUNT),
  skip: integer(0, MAX_COUNT),
  probability: [(value) => typeof value === "number" && value >= 0 && value <= 1, "a number from 0 to 1"],
  then: [isRecord, `an object with some of ${listNames(EFFECT_FIELDS)}`],
};

/** @throws ClaimsError `fault_invalid`: it names the invalid field, or the two fields that exclude each other */
export function parseRule(given: unknown): ValidRule {
  const rule: Partial<FaultSpec> = checkFields(given, "", RULE_FIELDS);
  const match: FaultMatch = checkFields(rule.match ?? {}, "match.", MATCH_FIELDS);
  requireKnownPath(match.path);
  const effect: FaultEffect = checkFields(rule.then ?? {}, "then.", EFFECT_FIELDS);
  // A flag that is false means the same as none.
  const then: FaultEffect = Object.fromEntries(Object.entries(effect).filter(([, value]) => value !== false));
  requireConsistentEffect(then);
  const truncatesOwnResponse = then.truncate === true && then.status === undefined;
  if (truncatesOwnResponse && rule.phase === "before")
    throw invalidRule(
      "then.truncate needs a response, and phase before has none",
      "set phase to after, or give then.status",
    );
  const { times = null, skip = 0, probability = 1, phase = truncatesOwnResponse ? "after" : "before" } = rule;
  return { match, phase, times, skip, probability, then };
}

/** A rule for a path that no route has would never apply. */
function requireKnownPath(path: string | undefined): void {
  if (path === undefined || matchesSomeRoute(path)) return;
  const closest = findClosestPath(path);
  throw invalidRule(
    `match.path matches no route of the service: ${quoteValue(path)}`,
    closest === null ? "`*` matches any characters" : `the closest one is ${closest}`,
  );
}

function checkFields<T>(
  given: unknown,
  prefix: string,
  checks: Readonly<Record<keyof T & string, FieldCheck>>,
): T {
  if (!isRecord(given)) throw invalidRule("a fault rule must be an object", `it takes ${listNames(checks)}`);
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of fields) {
    const field = prefix + name;
    if (!Object.hasOwn(checks, name))
      throw invalidRule(`a fault rule has no ${field}`, `${prefix || "it "}takes ${listNames(checks)}`);
    const [isValid, description] = checks[name as keyof T & string];
    if (isValid(value)) continue;
    const closest =
      field === "match.operation" && typeof value === "string"
        ? findClosest(value, OPERATION_IDS, value.length / 2)
        : null;
    const suggestion = closest === null ? "" : `; the closest one is ${closest}`;
    throw invalidRule(`${field} cannot be ${quoteValue(value)}`, `it is ${description}${suggestion}`);
  }
  return Object.fromEntries(fields) as T;
}

/** At most one of them replaces the response or the work. */
const REPLACEMENTS = ["status", "reset", "hang"] as const satisfies (keyof FaultEffect)[];

function requireConsistentEffect(then: FaultEffect): void {
  const has = (name: keyof FaultEffect) => then[name] !== undefined;
  if (Object.keys(then).length === 0)
    throw invalidRule("then is empty", `it takes ${listNames(EFFECT_FIELDS)}`);
  const [first, second] = REPLACEMENTS.filter(has);
  if (first && second) throw mutuallyExclusive(first, second);
  if (has("truncate") && first && first !== "status") throw mutuallyExclusive(first, "truncate");
  if (has("hang") && has("delay")) throw mutuallyExclusive("hang", "delay");
  if (has("retryAfter") && first !== "status")
    throw invalidRule("then.retryAfter needs then.status", "add a status, such as 429 or 503");
}

const mutuallyExclusive = (one: string, other: string) =>
  invalidRule(`then.${one} and then.${other} exclude each other`, "leave one of them out, or add two rules");

const invalidRule = (message: string, hint: string) => usageError("fault_invalid", message, { hint });

function listNames(checks: object): string {
  return Object.keys(checks).join(", ");
}

/** RFC 9110 §5.6.2 and §5.5 */
function isHeaders(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length > 50) return false;
  return Object.entries(value).every(
    ([name, wanted]) =>
      /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) &&
      (wanted === true || (typeof wanted === "string" && wanted.length <= 8_192)),
  );
}

function isRetryAfter(value: unknown): boolean {
  if (typeof value !== "string") return integer(0, MAX_RETRY_AFTER_SECONDS)[0](value);
  const duration = parseDuration(value);
  return duration === null ? isHttpDate(value) : duration <= MAX_RETRY_AFTER_SECONDS * 1000;
}
