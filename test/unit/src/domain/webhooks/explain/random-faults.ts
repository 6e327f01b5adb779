import { createHash, createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { grapheme } from "../../../../../support/unicode.ts";

/** What the service signed and what arrived. */
export interface Pair {
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
    data: fc.object({ maxDepth: 2, values: [fc.string({ unit: grapheme }), fc.double(), fc.integer()] }),
  })
  .map((value) => JSON.stringify(value));
const secretText = fc
  .base64String({ minLength: 36, maxLength: 48 })
  .map((each) => `whsec_${each.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`);

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

export const TIMESTAMP = "1795334930";
export const DOCUMENTED: Base = { before: `${TIMESTAMP}.`, after: "" };
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

export const PAIRS: fc.Arbitrary<Pair> = fc
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
