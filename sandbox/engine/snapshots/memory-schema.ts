import { isRecord } from "../../../src/domain/json.ts";
import { MIN_TIME_MS } from "../../../src/domain/time-range.ts";
import { digestSecret } from "../../store/credentials.ts";
import { MAX_CLOCK_TIME } from "../scheduler/clock.ts";
import type { Memory } from "./snapshot.ts";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";

const wholeFrom =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

const count = wholeFrom(0, Number.MAX_SAFE_INTEGER);

const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const tupleOf =
  (...checks: readonly Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, at) => check(value[at]));

const recordOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const mapOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);

const word = wholeFrom(-(2 ** 31), 2 ** 31 - 1);
const oauthClient = { clientId: text, clientSecret: text };
const nothing = oneOf(null);

const SHAPE: Readonly<Record<keyof Memory, Check>> = {
  url: matching(/^http:\/\/[a-z0-9.:[\]-]+$/i),
  clock: either(
    recordOf({ stoppedAt: wholeFrom(MIN_TIME_MS, MAX_CLOCK_TIME) }),
    recordOf({ ahead: (value) => Number.isFinite(value) && Math.abs(Number(value)) < MAX_CLOCK_TIME }),
  ),
  random: either(
    nothing,
    recordOf({
      seed: wholeFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      streams: mapOf(tupleOf(word, word, word, word)),
    }),
  ),
  credentials: recordOf({
    sandbox: recordOf({ apiKey: text, ...oauthClient }),
    production: recordOf({ apiKey: text }),
    otherPartner: recordOf({ apiKey: text }),
    webhook: recordOf({ endpointId: text, signingSecret: text }),
    unapproved: recordOf(oauthClient),
  }),
  keys: listOf(
    tupleOf(
      matching(/^[0-9a-f]{64}$/),
      recordOf({ partner: oneOf(1, 2), environment: oneOf("sandbox", "production") }),
    ),
  ),
  sinks: recordOf({
    kept: listOf(
      recordOf({
        ...{ sink: text, number: count, at: text, method: text, target: text, reason: text },
        ...{ headers: listOf(tupleOf(text, text)), bodyBase64: text, size: count },
        answered: either(nothing, count),
        verdict: oneOf("valid", "mismatch", "missing_header", "malformed", "unknown_endpoint"),
      }),
    ),
    counts: listOf(tupleOf(text, count)),
  }),
};

/**
 * The first part of what should be a sandbox's memory that is none; null where all of it is sound. The hash of a document
 * tells that it is as it was written, not who wrote it.
 */
export function findInvalidPart(memory: Readonly<Record<string, unknown>>): string | null {
  const unsound = Object.entries(SHAPE).find(([name, check]) => !check(memory[name]));
  if (unsound) return unsound[0];
  // A key that nobody has could be neither used nor rotated.
  const { credentials, keys } = memory as unknown as Memory;
  const known = new Set(keys.map(([keyDigest]) => keyDigest));
  const { sandbox, production, otherPartner } = credentials;
  return [sandbox, production, otherPartner].every(({ apiKey }) => known.has(digestSecret(apiKey)))
    ? null
    : "keys";
}
