import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fc, { type Arbitrary } from "fast-check";
import { explain } from "../../../src/domain/webhooks/explain/explain.ts";
import { sign, type VerifyResult, verify } from "../../../src/domain/webhooks/signature.ts";
import { WORST_BODIES, WORST_HEADERS } from "../../support/worst-deliveries.js";
import { defineTarget, requireThat } from "../target.ts";
import {
  applyChanges,
  type Change,
  fewChanges,
  hostileText,
  JSON_DELIMITERS,
  joinPieces,
  latin1,
  mostly,
  type Pieces,
  repetition,
} from "../text.ts";

/** A delivery; bytes are Latin-1. */
interface Delivery {
  readonly secrets: readonly string[];
  readonly timestamp: string;
  readonly body: Pieces;
  /** Of the body after it was signed, and of the signature. */
  readonly bodyChanges: readonly Change[];
  readonly signatureChanges: readonly Change[];
  readonly headers: readonly (readonly [string, string])[];
  readonly toleranceSeconds: number | null;
}

/** A shape that is slow to explain for its size, by its name in the bench. */
interface WorstDelivery {
  readonly shape: string;
  readonly bytes: number;
}

type Input = { readonly deliveries: readonly Delivery[] } | { readonly worst: WorstDelivery };

const NOW = Date.UTC(2026, 10, 20);

const jsonDelimiters = [...JSON_DELIMITERS, " ", "\\/", "\\u00e9", "\xc3\xa9", "1.0", "1e5", "%20", "+"];
const hexDelimiters = ["0", "a", "A", "g", " ", "sha256=", "v1=", ",", "\n", "=="];

const secret = mostly(
  fc.base64String({ minLength: 24, maxLength: 40 }).map((text) => `whsec_${text}`),
  hostileText,
  6,
);

const time = fc.integer({ min: NOW - 400_000, max: NOW + 400_000 });

const timestamp = mostly(
  fc.oneof(
    time.map((ms) => String(Math.floor(ms / 1_000))),
    time.map((ms) => new Date(ms).toISOString()),
  ),
  hostileText,
  8,
);

const event = fc
  .jsonValue({ maxDepth: 3 })
  .map((data) => JSON.stringify({ id: "7d", type: "partner.test", data }))
  .map((text): Pieces => [Buffer.from(text).toString("latin1")]);

const repeated = ["[", "]", '{"a":', "}", "\n", "a", "\\n", '"k":1,', "\xff", " ", '"\\'];

const body: Arbitrary<Pieces> = mostly(
  event,
  fc.oneof(
    latin1.map((text): Pieces => [text]),
    fc.array(repetition(repeated, 2_000), { maxLength: 4 }),
  ),
  2,
);

const OTHER_HEADERS = [
  ...["x-service-signature", "X-SERVICE-TIMESTAMP", "x-service-sig"],
  ...["content-type", "content-length", "content-encoding"],
];

const delivery: Arbitrary<Delivery> = fc.record({
  secrets: fc.array(secret, { maxLength: 3 }),
  timestamp,
  body,
  bodyChanges: fewChanges(jsonDelimiters, 2),
  signatureChanges: fewChanges(hexDelimiters, 2),
  headers: mostly(
    fc.constant([]),
    fc.array(fc.tuple(fc.constantFrom(...OTHER_HEADERS), hostileText), { maxLength: 3 }),
    8,
  ),
  toleranceSeconds: fc.option(fc.integer({ min: 0, max: 600 })),
});

const SHAPES = [...Object.keys(WORST_BODIES), ...Object.keys(WORST_HEADERS)];

/** Twice as long is half as frequent: most are as long as ordinary deliveries, some have a mebibyte. */
const size = fc
  .tuple(fc.integer({ min: 5, max: 19 }), fc.double({ min: 1, max: 2, noNaN: true }))
  .map(([exponent, factor]) => Math.floor(2 ** exponent * factor));

const input: Arbitrary<Input> = fc.oneof(
  { weight: 60, arbitrary: fc.record({ deliveries: fc.array(delivery, { minLength: 1, maxLength: 8 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ worst: fc.record({ shape: fc.constantFrom(...SHAPES), bytes: size }) }),
  },
);

/** 5. Signatures against a second implementation, and `explain` under its bounds. */
export const signatures = defineTarget<Input>({
  name: "signatures",
  arbitrary: input,
  open: async () => ({
    async check(input) {
      if ("worst" in input) {
        explainWorst(input.worst);
        return { inputs: 1 };
      }
      input.deliveries.forEach(checkDelivery);
      return { inputs: input.deliveries.length };
    },
    close: async () => {},
  }),
});

const bytesOf = (text: string) => Buffer.from(text, "latin1");

function checkDelivery(given: Delivery, index: number): void {
  const { secrets, timestamp, headers, toleranceSeconds } = given;
  const signed = bytesOf(joinPieces(given.body));
  const [first = ""] = secrets;
  const signature = sign({ secret: first, timestamp, body: signed });
  const expected = hmacSha256(Buffer.from(first), Buffer.concat([Buffer.from(`${timestamp}.`), signed]));
  requireThat(signature === expected.toString("hex"), () => `sign() gives ${signature}`);
  const received = {
    secrets,
    headers: [
      ["X-Service-Timestamp", timestamp],
      ["X-Service-Signature", applyChanges(signature, given.signatureChanges)],
      ...headers,
    ] as const,
    body: bytesOf(applyChanges(joinPieces(given.body), given.bodyChanges)),
    now: NOW,
    ...(toleranceSeconds !== null && { toleranceSeconds }),
  };
  const result = verify(received);
  const verdict = expectedVerdict(received);
  requireThat(
    verdict === (result.verdict === "stale" ? "valid" : result.verdict),
    () => `verify() says ${result.verdict} (${result.reason}), expected ${verdict}`,
  );
  // The explanation takes a thousand times as long as the verification.
  if (index > 0) return;
  const explanation = explain(received);
  requireThat(explanation.verdict === result.verdict, () => `explain() says ${explanation.verdict}`);
  requireThat(explanation.failure === null, () => `the explanation failed: ${explanation.failure}`);
  // A short or ordinary text is part of the explanation by chance.
  const printed = JSON.stringify(explanation);
  const leaked = secrets.find(
    (each) => each.startsWith("whsec_") && each.length > 20 && printed.includes(each),
  );
  requireThat(leaked === undefined, () => `the explanation contains a secret: ${printed}`);
}

function explainWorst({ shape, bytes }: WorstDelivery): void {
  const createBody = WORST_BODIES[shape];
  const createHeaders = WORST_HEADERS[shape];
  const { failure } = explain({
    secrets: ["whsec_another_secret_than_the_sender"],
    headers: {
      "x-service-timestamp": "1763596800",
      "x-service-signature": "ab".repeat(32),
      ...createHeaders?.(bytes),
    },
    body: Buffer.from(createBody?.(bytes) ?? '{"id":"7d","data":{"n":1.0}}'),
  });
  requireThat(failure === null, () => `${shape}: the explanation failed: ${failure}`);
}

/** Interface §6, read a second time. */
function expectedVerdict({
  secrets,
  headers,
  body,
}: {
  secrets: readonly string[];
  headers: readonly (readonly [string, string])[];
  body: Buffer;
}): VerifyResult["verdict"] {
  const values = (name: string) =>
    headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  for (const [name, allowed] of [
    ["x-service-timestamp", /^[!-~]([ -~]*[!-~])?$/],
    ["x-service-signature", /^[0-9a-f]{64}$/],
  ] as const) {
    const [value = "", ...more] = values(name);
    if (more.length > 0) return "malformed";
    if (value.trim() === "") return "missing_header";
    if (!allowed.test(value)) return "malformed";
  }
  const [timestamp = ""] = values("x-service-timestamp");
  const [signature] = values("x-service-signature");
  const base = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  const isSigner = (secret: string) =>
    secret !== "" && hmacSha256(Buffer.from(secret), base).toString("hex") === signature;
  return secrets.some(isSigner) ? "valid" : "mismatch";
}

/** RFC 2104, from nothing but the hash. */
function hmacSha256(secret: Buffer, message: Buffer): Buffer {
  const hash = (...parts: readonly Uint8Array[]) =>
    createHash("sha256").update(Buffer.concat(parts)).digest();
  const key = Buffer.alloc(64);
  (secret.length > 64 ? hash(secret) : secret).copy(key);
  const pad = (byte: number) => key.map((each) => each ^ byte);
  return hash(pad(0x5c), hash(pad(0x36), message));
}
