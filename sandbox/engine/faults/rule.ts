import { FAULT_PHASES } from "../../../src/contract/fault-rules.ts";
import { parseDuration } from "../../../src/domain/duration.ts";
import { usageError } from "../../../src/domain/errors.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { FaultEffect, FaultMatch, FaultRule, FaultSpec } from "../../api/faults.ts";
import { checkFields, type FieldChecks, FLAG, integer, word } from "../check-fields.ts";
import { OPERATION } from "../check-operation.ts";

export type ValidRule = Pick<FaultRule, "match" | "phase" | "times" | "skip" | "probability" | "then">;

const MAX_DELAY_MS = 600_000;

const MAX_RETRY_AFTER_SECONDS = 86_400;

const MAX_COUNT = 1_000_000_000;

const MATCH_FIELDS: FieldChecks<FaultMatch> = {
  operation: OPERATION,
  method: word(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], "GET, HEAD, POST, PUT, PATCH or DELETE"),
};

const EFFECT_FIELDS: FieldChecks<FaultEffect> = {
  status: integer(400, 599),
  retryAfter: integer(0, MAX_RETRY_AFTER_SECONDS, " seconds"),
  delay: {
    isValid: (value) =>
      typeof value === "string" && (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= MAX_DELAY_MS,
    expected: "a duration such as 500ms or 2s, at most 10m",
  },
  reset: FLAG,
  hang: FLAG,
  truncate: FLAG,
};

const RULE_FIELDS: FieldChecks<FaultSpec> = {
  match: { isValid: isRecord, expected: `an object with some of ${listNames(MATCH_FIELDS)}` },
  phase: word(FAULT_PHASES),
  times: integer(1, MAX_COUNT),
  skip: integer(0, MAX_COUNT),
  probability: {
    isValid: (value) => typeof value === "number" && value >= 0 && value <= 1,
    expected: "a number from 0 to 1",
  },
  then: { isValid: isRecord, expected: `an object with some of ${listNames(EFFECT_FIELDS)}` },
};

const checkRule = <T>(given: unknown, checks: FieldChecks<T>, prefix = ""): T =>
  checkFields(given, checks, { what: "a fault rule", noun: "field", prefix, code: "fault_invalid" });

/** @throws ClaimsError `fault_invalid`: it names the invalid field, or the two fields that exclude each other */
export function parseRule(given: unknown): ValidRule {
  const rule: Partial<FaultSpec> = checkRule(given, RULE_FIELDS);
  const match: FaultMatch = checkRule(rule.match ?? {}, MATCH_FIELDS, "match.");
  const effect: FaultEffect = checkRule(rule.then ?? {}, EFFECT_FIELDS, "then.");
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
