import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cause, type CauseId, explain } from "../../../../../../src/signature.ts";
import { GENUINE, toInput } from "./delivery.ts";
import { DOCUMENTED, PAIRS, type Pair, TIMESTAMP } from "./random-faults.ts";

/** `.ci/long` runs 100,000. */
const RUNS = Number(process.env.CLAIMS_TEST_RANDOM_FAULTS ?? 50);
const SEED = Number(process.env.CLAIMS_TEST_RANDOM_SEED ?? 18);

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};
const compact = (bytes: Buffer): string | undefined => JSON.stringify(parse(bytes));
const withoutSpace = (bytes: Buffer): string => bytes.toString("latin1").trim();
const timeOf = (text: string): number =>
  /^[\d.,eE+]+$/.test(text)
    ? Number(text.replaceAll(",", "")) * (/^\d{13}$/.test(text) ? 1 : 1_000)
    : Date.parse(text);

type Relation = (pair: Pair) => boolean;

const sameTime: Relation = ({ truth, received }) => {
  const isRounded = /e/.test(received.timestamp);
  return isRounded
    ? Number(truth.timestamp).toExponential(4) === Number(received.timestamp).toExponential(4)
    : timeOf(received.timestamp) === timeOf(truth.timestamp);
};
const secretHolds: Relation = ({ truth, received }) => received.secret.includes(truth.secret.slice(6));

/** Causes that were merged stand for each of these. */
const anyOf =
  (...relations: readonly Relation[]): Relation =>
  (pair) =>
    relations.some((relation) => relation(pair));

/**
 * What must hold between the true delivery and the received one for a proved cause, whatever the program did to find it:
 * the explanation, applied to the true one, gives the received one. A cause without a relation is false here, because no
 * random fault is of its kind.
 */
const RELATIONS: Partial<Record<CauseId, Relation>> = {
  "body.reserialized": ({ truth, received }) => compact(received.body) === compact(truth.body),
  "body.trailing_newline": ({ truth, received }) => withoutSpace(received.body) === withoutSpace(truth.body),
  "body.trimmed": ({ truth, received }) => withoutSpace(received.body) === withoutSpace(truth.body),
  "body.compressed": ({ truth, received }) => gzipSync(truth.body).equals(received.body),
  "body.double_encoded": ({ truth, received }) => parse(received.body) === truth.body.toString(),
  "body.doubled": ({ truth, received }) => Buffer.concat([truth.body, truth.body]).equals(received.body),
  "body.printed": ({ truth, received }) => received.body.toString() === truth.body.toString("hex"),
  "body.base64": ({ truth, received }) => Buffer.from(received.body.toString(), "base64").equals(truth.body),
  "body.percent_encoded": ({ truth, received }) =>
    received.body.toString() === encodeURIComponent(truth.body.toString()) ||
    received.body.toString() === truth.body.toString().replaceAll("+", " "),
  "body.charset": anyOf(
    ({ truth, received }) =>
      received.body.toString("utf16le") === truth.body.toString() ||
      received.body.toString() === truth.body.toString("utf16le"),
    ({ truth, received }) =>
      received.body.toString() === truth.body.toString("latin1") ||
      received.body.toString("latin1") === truth.body.toString(),
  ),
  "body.unicode_normalized": ({ truth, received }) =>
    received.body.toString().normalize("NFC") === truth.body.toString().normalize("NFC"),
  "body.truncated": ({ truth, received }) => {
    const kept = withoutSpace(received.body);
    return kept.length < truth.body.length && truth.body.toString("latin1").startsWith(kept);
  },
  "body.nul_padding": ({ truth, received }) =>
    received.body.toString().replace(/\0+$/, "") === truth.body.toString(),
  "secret.whitespace": ({ truth, received }) => received.secret.replace(/\s/, "") === truth.secret,
  "secret.altered": anyOf(
    ({ truth, received }) => received.secret.replace("\u200b", "") === truth.secret,
    ({ truth, received }) => received.secret.toLowerCase() === truth.secret.toLowerCase(),
    ({ truth, received }) => received.secret === encodeURIComponent(truth.secret),
    secretHolds,
  ),
  "secret.prefix_dropped": ({ truth, received }) => received.secret === truth.secret.slice(6),
  "secret.base64_encoded": ({ truth, received }) =>
    Buffer.from(received.secret, "base64").toString() === truth.secret,
  "base.different": anyOf(
    ({ truth }) => truth.base.before + truth.base.after === "",
    ({ truth, received }) =>
      truth.base.before === TIMESTAMP || (truth.base === DOCUMENTED && received.body[0] === 0x2e),
    ({ truth }) => /^\d{10}[^.\d]+$/.test(truth.base.before),
    ({ truth }) => truth.base.before === "" && truth.base.after.endsWith(TIMESTAMP),
    ({ truth }) => truth.base !== DOCUMENTED,
  ),
  "timestamp.missing": ({ truth }) => truth.base.before === ".",
  "timestamp.reformatted": anyOf(
    // Digits that were lost, or became zeros.
    ({ truth, received }) =>
      truth.timestamp.includes(received.timestamp) ||
      truth.timestamp.slice(0, 7) === received.timestamp.slice(0, 7),
    ({ truth: { base } }) => /\s\d{10}|\d{10}\s/.test(base.before + base.after),
    sameTime,
  ),
  "timestamp.changed": ({ truth, received }) =>
    received.timestamp !== truth.timestamp && !sameTime({ truth, received }),
  "timestamp.doubled": sameTime,
  "signature.encoding": anyOf(
    ({ truth, received }) => received.signature.toLowerCase() === truth.signature,
    ({ truth, received }) => Buffer.from(received.signature, "base64").toString("hex") === truth.signature,
    ({ truth, received }) => received.signature === `v1=${truth.signature}`,
  ),
  "signature.doubled": ({ truth, received }) =>
    received.signature === `${truth.signature},${truth.signature}`,
  "signature.copied": ({ truth, received }) => truth.signature.includes(received.signature),
};

const signedBytes = ({ base, body }: Pair["truth"]): Buffer =>
  Buffer.concat([Buffer.from(base.before), body, Buffer.from(base.after)]);

const isFalse = (pair: Pair, { id, certainty }: Cause): boolean =>
  certainty === "proved" && !(RELATIONS[id]?.(pair) ?? false);

describe("random faults", () => {
  it(`prove no cause that does not make the received delivery of the true one, in ${RUNS} runs`, () => {
    let proved = 0;
    fc.assert(
      fc.property(PAIRS, (pair) => {
        const { verdict, causes } = explain(toInput({ ...GENUINE, ...pair.received }));
        const { truth, received } = pair;
        const isUnchanged =
          Buffer.concat([Buffer.from(`${received.timestamp}.`), received.body]).equals(signedBytes(truth)) &&
          received.secret === truth.secret &&
          received.signature === truth.signature;
        expect(verdict === "valid").toBe(isUnchanged);
        proved += causes.filter(({ certainty }) => certainty === "proved").length;
        expect(
          causes.filter((cause) => isFalse(pair, cause)).map(({ id, evidence }) => [id, evidence]),
        ).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
    // A check in which nothing is proved would be empty.
    expect(proved).toBeGreaterThan(RUNS / 10);
  }, 3_600_000);
});
