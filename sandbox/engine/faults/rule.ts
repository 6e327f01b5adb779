import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import type { FaultEffect, FaultMatch, FaultSpec } from "../../../src/domain/faults/fault.ts";
import { isRecord, quoteValue } from "../../../src/domain/json.ts";
import { isHttpDate } from "../../../src/domain/retry-after.ts";
import { findClosest } from "../../../src/domain/text.ts";
import type { FaultRule } from "../../api/faults.ts";

/** A rule that makes sense, with every default filled in. */
export type ValidRule = Pick<FaultRule, "match" | "phase" | "times" | "skip" | "probability" | "then">;

/** Milliseconds: ten minutes. */
const MAX_DELAY_MS = 600_000;

/** Seconds: a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

const MAX_COUNT = 1_000_000_000;

/** What a value must be, and the same in words. */
interface FieldCheck {
  readonly is: (value: unknown) => boolean;
  readonly words: string;
}

const whole = (least: number, most: number): FieldCheck => ({
  is: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  words: `a whole number from ${least} to ${most}`,
});

const text = (pattern: RegExp, words: string): FieldCheck => ({
  is: (value) => typeof value === "string" && pattern.test(value),
  words,
});

const FLAG: FieldCheck = { is: (value) => typeof value === "boolean", words: "true or false" };

const MATCH_FIELDS: Readonly<Record<keyof FaultMatch, FieldCheck>> = {
  operation: {
    is: (value) => ALL_OPERATIONS.some(({ id }) => id === value),
    words: "the id of an operation, such as diligence.submit",
  },
  path: text(/^[/*][^?#]{0,499}$/, "a path without its query, in which * stands for any characters"),
  method: text(/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/, "GET, HEAD, POST, PUT, PATCH or DELETE"),
  header: { is: isHeaders, words: "exact values by name, or true for any" },
  nth: whole(1, MAX_COUNT),
};

const EFFECT_FIELDS: Readonly<Record<keyof FaultEffect, FieldCheck>> = {
  status: whole(400, 599),
  retryAfter: {
    is: (value) =>
      whole(0, MAX_RETRY_AFTER_SECONDS).is(value) || (typeof value === "string" && isRetryAfter(value)),
    words: `seconds (0 to ${MAX_RETRY_AFTER_SECONDS}), a duration such as 30s, or a date such as Fri, 20 Nov 2026 00:00:30 GMT`,
  },
  delay: {
    is: (value) =>
      typeof value === "string" && (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= MAX_DELAY_MS,
    words: "a duration such as 500ms or 2s, at the most 10m",
  },
  reset: FLAG,
  hang: FLAG,
  truncate: FLAG,
  badChunk: FLAG,
  garbage: FLAG,
};

const RULE_FIELDS: Readonly<Record<keyof FaultSpec, FieldCheck>> = {
  match: { is: isRecord, words: `an object with some of ${Object.keys(MATCH_FIELDS).join(", ")}` },
  phase: text(/^(before|after)$/, "before or after"),
  times: whole(1, MAX_COUNT),
  skip: whole(0, MAX_COUNT),
  probability: {
    is: (value) => typeof value === "number" && value >= 0 && value <= 1,
    words: "a number from 0 to 1",
  },
  then: { is: isRecord, words: `an object with some of ${Object.keys(EFFECT_FIELDS).join(", ")}` },
};

/** Throws a usage error that names the field that is wrong, or the two that exclude each other. */
export function parseRule(given: unknown): ValidRule {
  const rule: Partial<FaultSpec> = checkFields(given, "", RULE_FIELDS);
  const match: FaultMatch = checkFields(rule.match ?? {}, "match.", MATCH_FIELDS);
  const then: FaultEffect = dropFalseFlags(checkFields(rule.then ?? {}, "then.", EFFECT_FIELDS));
  checkEffect(then);
  const spoils = isCorrupting(then) && then.status === undefined;
  if (spoils && rule.phase === "before") {
    const field = then.truncate ? "then.truncate" : "then.badChunk";
    throw invalidRule(
      `${field} needs an answer, and phase before has none`,
      "set phase to after, or give then.status",
    );
  }
  const { times = null, skip = 0, probability = 1, phase = spoils ? "after" : "before" } = rule;
  if (match.nth !== undefined && match.nth <= skip)
    throw invalidRule(`skip ${skip} lets match.nth ${match.nth} through too`, "leave one of them out");
  return { match, phase, times, skip, probability, then };
}

const isCorrupting = ({ truncate, badChunk }: FaultEffect): boolean => Boolean(truncate || badChunk);

function checkFields<T>(
  given: unknown,
  place: string,
  wanted: Readonly<Record<keyof T & string, FieldCheck>>,
): T {
  if (!isRecord(given)) throw invalidRule("a fault rule must be an object", `it takes ${listNames(wanted)}`);
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of fields) {
    if (!Object.hasOwn(wanted, name)) {
      throw invalidRule(`a fault rule has no ${place}${name}`, `${place || "it "}takes ${listNames(wanted)}`);
    }
    const { is, words } = wanted[name as keyof T & string];
    if (is(value)) continue;
    const near =
      place + name === "match.operation" && typeof value === "string" ? suggestOperation(value) : "";
    throw invalidRule(`${place}${name} cannot be ${quoteValue(value)}`, `it is ${words}${near}`);
  }
  return Object.fromEntries(fields) as T;
}

const listNames = (wanted: object): string => Object.keys(wanted).join(", ");

/** What takes the place of the answer, or of the work. */
const REPLACEMENTS = ["status", "reset", "hang", "garbage"] as const satisfies (keyof FaultEffect)[];

/** What excludes each other, and what says nothing by itself. */
function checkEffect(then: FaultEffect): void {
  const given = (Object.keys(EFFECT_FIELDS) as (keyof FaultEffect)[]).filter(
    (name) => then[name] !== undefined,
  );
  if (given.length === 0)
    throw invalidRule("then says nothing of what happens", `it takes ${listNames(EFFECT_FIELDS)}`);
  const [first, second] = REPLACEMENTS.filter((name) => given.includes(name));
  if (first && second) throw mutuallyExclusive(first, second);
  const [spoilt, other] = (["truncate", "badChunk"] as const).filter((name) => given.includes(name));
  if (spoilt && other) throw mutuallyExclusive(spoilt, other);
  if (spoilt && first && first !== "status") throw mutuallyExclusive(first, spoilt);
  if (given.includes("hang") && given.includes("delay")) throw mutuallyExclusive("hang", "delay");
  if (given.includes("retryAfter") && first !== "status")
    throw invalidRule("then.retryAfter needs then.status", "add a status, such as 429 or 503");
}

const mutuallyExclusive = (one: string, other: string): ClaimsError =>
  invalidRule(`then.${one} and then.${other} exclude each other`, "leave one of them out, or add two rules");

const invalidRule = (message: string, hint: string): ClaimsError =>
  new ClaimsError("usage", "fault_invalid", message, { hint });

/** A switch that is off says the same as none. */
const dropFalseFlags = (then: FaultEffect): FaultEffect =>
  Object.fromEntries(Object.entries(then).filter(([, value]) => value !== false));

/** RFC 9110 §5.6.2 and §5.5. */
function isHeaders(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length > 50) return false;
  return Object.entries(value).every(
    ([name, wanted]) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && (wanted === true || isFieldValue(wanted)),
  );
}

const isFieldValue = (value: unknown): boolean => typeof value === "string" && value.length <= 8_192;

const isRetryAfter = (value: string): boolean => {
  const duration = parseDuration(value);
  return duration === null ? isHttpDate(value) : duration <= MAX_RETRY_AFTER_SECONDS * 1000;
};

function suggestOperation(given: string): string {
  const ids = ALL_OPERATIONS.map(({ id }) => id);
  const closest = findClosest(given, ids, given.length / 2);
  return closest ? `; the closest one is ${closest}` : "";
}
