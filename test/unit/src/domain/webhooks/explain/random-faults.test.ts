import { createHash, createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cause, type CauseId, explain } from "../../../../../../src/signature.ts";
import { GENUINE, toInput } from "./faults.ts";

/** `.ci/long` runs 100,000. */
const RUNS = Number(process.env.CLAIMS_TEST_RANDOM_FAULTS ?? 100);
const SEED = Number(process.env.CLAIMS_TEST_RANDOM_SEED ?? 18);

/** What the service signed and what arrived. */
interface Pair {
  readonly truth: Parts & { readonly base: Base };
  readonly received: Parts;
}

/** What was signed before the body and after it. */
interface Base {
  readonly before: string;
  readonly after: string;
}

interface Parts {
  readonly body: Buffer;
  readonly secret: string;
  readonly timestamp: string;
  readonly signature: string;
}

const payload = fc
  .record({
    id: fc.uuid(),
    type: fc.constantFrom("partner.test", "claim.updated"),
    createdAt: fc.constantFrom("2026-11-22T08:08:50.120Z", "2026-11-22T07:00:00.000Z"),
    data: fc.object({ maxDepth: 2, values: [fc.string({ unit: "grapheme" }), fc.double(), fc.integer()] }),
  })
  .map((value) => JSON.stringify(value));
const secretText = fc.base64String({ minLength: 24, maxLength: 48 }).map((each) => `whsec_${each}`);

/** Changes of bytes that no table of this project chose: re-encode, cut, transpose, swap, duplicate, insert. */
const bodyChange: fc.Arbitrary<(body: Buffer) => Buffer> = fc.oneof(
  fc
    .constantFrom<BufferEncoding>("latin1", "utf16le", "hex", "base64", "base64url", "ascii")
    .map((encoding) => (body: Buffer) => Buffer.from(body.toString(encoding))),
  fc
    .constantFrom<BufferEncoding>("latin1", "utf16le")
    .map((encoding) => (body: Buffer) => Buffer.from(body.toString("utf8"), encoding)),
  fc.constantFrom(
    (body: Buffer) => gzipSync(body),
    (body: Buffer) => Buffer.from(encodeURIComponent(body.toString())),
    (body: Buffer) => Buffer.from(JSON.stringify(body.toString())),
    (body: Buffer) => Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2)),
    (body: Buffer) => Buffer.from(body.toString().normalize("NFD")),
    (body: Buffer) => Buffer.from(body.toString().toLowerCase()),
    (body: Buffer) => Buffer.from(body).reverse(),
    (body: Buffer) => Buffer.concat([body, body]),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(([from, count]) => (body: Buffer) => {
    const start = from % body.length;
    return Buffer.concat([body.subarray(0, start), body.subarray(start + 1 + (count % 3))]);
  }),
  fc
    .tuple(fc.nat(), fc.nat(255), fc.integer({ min: 1, max: 3 }))
    .map(([from, byte, count]) => (body: Buffer) => {
      const start = from % (body.length + 1);
      return Buffer.concat([body.subarray(0, start), Buffer.alloc(count, byte), body.subarray(start)]);
    }),
  fc.nat().map((from) => (body: Buffer) => {
    const swapped = Buffer.from(body);
    const start = from % (body.length - 1);
    [swapped[start], swapped[start + 1]] = [body[start + 1] as number, body[start] as number];
    return swapped;
  }),
);

const secretChange: fc.Arbitrary<(secret: string) => string> = fc.oneof(
  fc.constantFrom(
    (secret: string) => secret.toUpperCase(),
    (secret: string) => secret.slice(0, 12),
    (secret: string) => secret.slice(6),
    (secret: string) => encodeURIComponent(secret),
    (secret: string) => `SECRET='${secret}'`,
    (secret: string) => Buffer.from(secret).toString("base64"),
    (secret: string) => createHash("sha256").update(secret).digest("hex"),
  ),
  fc.tuple(fc.nat(), fc.constantFrom(" ", "\n", "\u200b", '"', "x", "=", "%")).map(
    ([at, added]) =>
      (secret: string) =>
        secret.slice(0, at % (secret.length + 1)) + added + secret.slice(at % (secret.length + 1)),
  ),
  secretText.map((other) => () => other),
);

const timestampChange: fc.Arbitrary<(timestamp: string) => string> = fc.oneof(
  fc.integer({ min: -4_000, max: 4_000 }).map((off) => (time: string) => String(Number(time) + off)),
  fc
    .nat()
    .map((at) => (time: string) => time.slice(0, at % time.length) + time.slice((at % time.length) + 1)),
  fc.constantFrom(
    (time: string) => `${time}000`,
    (time: string) => new Date(Number(time) * 1000).toISOString(),
    (time: string) => new Date(Number(time) * 1000).toUTCString(),
    (time: string) => Number(time).toExponential(4),
    (time: string) => Number(time).toLocaleString("en-US"),
  ),
);

const signatureChange: fc.Arbitrary<(signature: string) => string> = fc.oneof(
  fc.nat(63).map((at) => (hex: string) => hex.slice(0, at) + hex.slice(at + 1)),
  fc.integer({ min: 1, max: 63 }).map((at) => (hex: string) => hex.slice(0, at)),
  fc.integer({ min: 1, max: 63 }).map((at) => (hex: string) => hex.slice(at)),
  fc.nat(62).map((at) => (hex: string) => `${hex.slice(0, at)}${hex[at + 1]}${hex[at]}${hex.slice(at + 2)}`),
  fc.constantFrom(
    (hex: string) => hex.toUpperCase(),
    (hex: string) => Buffer.from(hex, "hex").toString("base64"),
    (hex: string) => `v1=${hex}`,
    (hex: string) => `${hex},${hex}`,
    (hex: string) => [...hex].reverse().join(""),
    (hex: string) => createHash("md5").update(hex).digest("hex"),
  ),
);

const ANY_CHANGE = {
  body: bodyChange,
  secret: secretChange,
  timestamp: timestampChange,
  signature: signatureChange,
};
/** One change, or any number of them. */
const changesOfDelivery = fc.oneof(
  ...(["body", "secret", "timestamp", "signature"] as const).map((name) =>
    fc.record(ANY_CHANGE, { requiredKeys: [] }).map((all) => ({ [name]: all[name] }) as typeof all),
  ),
  fc.record(ANY_CHANGE, { requiredKeys: [] }),
);

const TIMESTAMP = "1795334930";
const DOCUMENTED: Base = { before: `${TIMESTAMP}.`, after: "" };
const separator = fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom("", ":", "\n", " ", "..", "."));
/** Any text between timestamp and body, in either order, or one of them alone. */
const bases: fc.Arbitrary<Base> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(DOCUMENTED) },
  fc.constantFrom<Base>(
    { before: "", after: "" },
    { before: ".", after: "" },
    { before: `v0:${TIMESTAMP}:`, after: "" },
    { before: `v1:${TIMESTAMP}:`, after: "" },
  ),
  separator.map((text): Base => ({ before: TIMESTAMP + text, after: "" })),
  separator.map((text): Base => ({ before: "", after: text + TIMESTAMP })),
);

const pairs: fc.Arbitrary<Pair> = fc
  .record({ body: payload.map((text) => Buffer.from(text)), secret: secretText, base: bases })
  .map(({ body, secret, base }): Pair["truth"] => {
    const hmac = createHmac("sha256", secret).update(base.before).update(body).update(base.after);
    return { body, secret, base, timestamp: TIMESTAMP, signature: hmac.digest("hex") };
  })
  .chain((truth) =>
    changesOfDelivery.map((changes) => ({
      truth,
      received: {
        body: changes.body?.(truth.body) ?? truth.body,
        secret: changes.secret?.(truth.secret) ?? truth.secret,
        timestamp: changes.timestamp?.(truth.timestamp) ?? truth.timestamp,
        signature: changes.signature?.(truth.signature) ?? truth.signature,
      },
    })),
  );

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
  "body.hex": ({ truth, received }) => received.body.toString() === truth.body.toString("hex"),
  "body.base64": ({ truth, received }) => Buffer.from(received.body.toString(), "base64").equals(truth.body),
  "body.percent_encoded": ({ truth, received }) =>
    received.body.toString() === encodeURIComponent(truth.body.toString()) ||
    received.body.toString() === truth.body.toString().replaceAll("+", " "),
  "body.utf16": ({ truth, received }) =>
    received.body.toString("utf16le") === truth.body.toString() ||
    received.body.toString() === truth.body.toString("utf16le"),
  "body.latin1": ({ truth, received }) =>
    received.body.toString() === truth.body.toString("latin1") ||
    received.body.toString("latin1") === truth.body.toString(),
  "body.unicode_normalized": ({ truth, received }) =>
    received.body.toString().normalize("NFC") === truth.body.toString().normalize("NFC"),
  "body.first_byte_lost": ({ truth, received }) => received.body.equals(truth.body.subarray(1)),
  "body.truncated": ({ truth, received }) => {
    const kept = withoutSpace(received.body);
    return kept.length < truth.body.length && truth.body.toString("latin1").startsWith(kept);
  },
  "body.nul_padding": ({ truth, received }) =>
    received.body.toString().replace(/\0+$/, "") === truth.body.toString(),
  "secret.whitespace": ({ truth, received }) => received.secret.replace(/\s/, "") === truth.secret,
  "secret.invisible_characters": ({ truth, received }) =>
    received.secret.replace("\u200b", "") === truth.secret,
  "secret.prefix_dropped": ({ truth, received }) => received.secret === truth.secret.slice(6),
  "secret.wrong_case": ({ truth, received }) => received.secret.toLowerCase() === truth.secret.toLowerCase(),
  "secret.percent_encoded": ({ truth, received }) => received.secret === encodeURIComponent(truth.secret),
  "secret.base64_encoded": ({ truth, received }) =>
    Buffer.from(received.secret, "base64").toString() === truth.secret,
  "secret.env_line": secretHolds,
  "secret.quotes": secretHolds,
  "base.body_only": ({ truth }) => truth.base.before + truth.base.after === "",
  // A full stop that was added before the body cannot be told from one that was signed.
  "base.no_dot": ({ truth, received }) =>
    truth.base.before === TIMESTAMP || (truth.base === DOCUMENTED && received.body[0] === 0x2e),
  "base.other_separator": ({ truth }) => /^\d{10}[^.\d]+$/.test(truth.base.before),
  "base.body_first": ({ truth }) => truth.base.before === "" && truth.base.after.endsWith(TIMESTAMP),
  "base.other_provider": ({ truth }) => truth.base.before === `v0:${TIMESTAMP}:`,
  "timestamp.missing": ({ truth }) => truth.base.before === ".",
  "timestamp.whitespace": ({ truth: { base } }) => /\s\d{10}|\d{10}\s/.test(base.before + base.after),
  "timestamp.changed": ({ truth, received }) =>
    received.timestamp !== truth.timestamp && !sameTime({ truth, received }),
  "timestamp.reformatted": sameTime,
  "timestamp.milliseconds": sameTime,
  "timestamp.rfc3339": sameTime,
  "timestamp.doubled": sameTime,
  "signature.uppercase": ({ truth, received }) => received.signature.toLowerCase() === truth.signature,
  "signature.base64": ({ truth, received }) =>
    Buffer.from(received.signature, "base64").toString("hex") === truth.signature,
  "signature.prefix": ({ truth, received }) => received.signature === `v1=${truth.signature}`,
  "signature.doubled": ({ truth, received }) =>
    received.signature === `${truth.signature},${truth.signature}`,
  "signature.truncated": ({ truth, received }) => truth.signature.startsWith(received.signature),
};

const signedBytes = ({ base, body }: Pair["truth"]): Buffer =>
  Buffer.concat([Buffer.from(base.before), body, Buffer.from(base.after)]);

const isFalse = (pair: Pair, { id, certainty }: Cause): boolean =>
  certainty === "proved" && !(RELATIONS[id]?.(pair) ?? false);

describe("random faults", () => {
  it(`prove no cause that does not make the received delivery of the true one, in ${RUNS} runs`, () => {
    let proved = 0;
    fc.assert(
      fc.property(pairs, (pair) => {
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
