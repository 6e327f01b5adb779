import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConstantText } from "../../../../../src/domain/webhooks/explain/constant-texts.ts";
import { CAUSES, explain, sign } from "../../../../../src/signature.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { BODY, type Delivery, GENUINE, SECRET, signAs, TIMESTAMP, toInput } from "./explain/delivery.ts";

const explainDelivery = (change: Partial<Delivery>) => explain(toInput({ ...GENUINE, ...change }));

const listCauses = (change: Partial<Delivery>): string[] =>
  explainDelivery(change)
    .causes.map(({ id, certainty }) => `${id} ${certainty}`)
    .sort();

const contentLength = (bytes: number) => [["Content-Length", String(bytes)]] as const;

/** As Python prints it: a space after each comma and colon, and escapes for all but ASCII. */
const PYTHON = BODY.replaceAll('":', '": ')
  .replaceAll(',"', ', "')
  .replace("1,2.50", "1, 2.50")
  .replace("\u00e9", "\\u00e9");

const COMPACT = JSON.stringify(JSON.parse(BODY));

describe("explain of one fault", () => {
  const body = Buffer.from(`${BODY}\n`);

  it("reports the offset and a hexdump of the first difference", () => {
    const [cause] = explainDelivery({ body }).causes;
    expect(cause?.evidence).toContain(`the first difference is at offset ${Buffer.byteLength(BODY)}`);
    expect(cause?.evidence).toMatch(/here {4}(?:[0-9a-f]{2} )+7d 0a/);
    expect(cause?.fix).toBe(CAUSES["body.trailing_newline"].fix);
  });

  it("omits the hexdump of a body that contains the secret", () => {
    const withSecret = `{"rotated":"${SECRET}"}`;
    const signature = signAs({ body: withSecret });
    const [cause] = explainDelivery({ body: Buffer.from(`${withSecret}\n`), signature }).causes;
    expect(cause?.id).toBe("body.trailing_newline");
    expect(cause?.evidence).toContain("the first difference is at offset");
    expect(cause?.evidence).not.toMatch(/here {4}|signed {2}/);
  });

  it("names the sender as the cause if Content-Length shows that the body arrived unchanged", () => {
    const signature = signAs({ body: PYTHON });
    const findCause = (bytes: number) =>
      explainDelivery({ signature, headers: contentLength(bytes) }).causes[0]?.id;
    expect(findCause(Buffer.byteLength(BODY))).toBe("base.reserialized");
    expect(findCause(PYTHON.length)).toBe("body.reserialized");
  });

  it("ignores the Content-Length of a compressed body", () => {
    const changed = Buffer.from(COMPACT.replace("3f0c9a", "3f0c9b"));
    expect(listCauses({ body: changed, headers: contentLength(100) })).toEqual(["body.changed likely"]);
    const headers = [...contentLength(100), ["Content-Encoding", "gzip"] as const];
    expect(listCauses({ body: changed, headers })).toEqual([]);
  });
});

type Change = (delivery: Delivery) => Delivery;

const changeText =
  (change: (text: string) => string): Change =>
  (delivery) => ({ ...delivery, body: Buffer.from(change(delivery.body.toString())) });
const changeSecret =
  (change: (secret: string) => string): Change =>
  (delivery) => ({ ...delivery, secret: change(delivery.secret) });
const changeTimestamp =
  (timestamp: string): Change =>
  (delivery) => ({ ...delivery, timestamp });
const changeSignature =
  (change: (signature: string) => string): Change =>
  (delivery) => ({ ...delivery, signature: change(delivery.signature ?? "") });
const signBase =
  (base: (timestamp: string, body: Buffer) => string | Buffer): Change =>
  (delivery) => ({ ...delivery, signature: signAs({ base }) });

/** The faults that support meets most often, by cause; a change of the sender's signature comes first. */
const COMMON: readonly (readonly [cause: string, change: Change])[] = [
  ["base.different", signBase((_, body) => body)],
  ["base.different", signBase((at, body) => `${at}${body}`)],
  ["body.trailing_newline", changeText((text) => `${text}\n`)],
  ["body.reserialized", changeText(() => PYTHON)],
  ["body.base64", changeText((text) => Buffer.from(text).toString("base64"))],
  ["body.double_encoded", changeText(JSON.stringify)],
  ["secret.whitespace", changeSecret((secret) => `${secret}\n`)],
  ["secret.altered", changeSecret((secret) => `"${secret}"`)],
  ["secret.prefix_dropped", changeSecret((secret) => secret.slice(6))],
  ["timestamp.reformatted", changeTimestamp(`${TIMESTAMP}000`)],
  ["timestamp.reformatted", changeTimestamp("2026-11-22T08:08:50Z")],
  ["signature.encoding", changeSignature((hex) => hex.toUpperCase())],
  ["signature.encoding", changeSignature((hex) => Buffer.from(hex, "hex").toString("base64"))],
];

describe("explain of two faults", () => {
  const kindOf = (cause: string): string => cause.split(".")[0] ?? "";
  const pairs = COMMON.flatMap((one, index) =>
    COMMON.slice(index + 1)
      .filter(([cause]) => kindOf(cause) !== kindOf(one[0]))
      // A base string without a timestamp hides changes of the timestamp.
      .filter(([cause]) => one[0] !== "base.different" || kindOf(cause) !== "timestamp")
      .map((other) => [one, other] as const),
  );

  it.each(pairs.map((pair) => [pair.map(([cause]) => cause), pair.map(([, change]) => change)] as const))(
    "proves %j",
    (causes, [one, other]) => {
      const delivery = [one, other].reduce((before, change) => change?.(before) ?? before, GENUINE);
      expect(listCauses(delivery)).toEqual(causes.map((cause) => `${cause} proved`).sort());
    },
  );

  it.each<[string, string[], Partial<Delivery>]>([
    [
      "base64 of a body that was serialized again",
      ["body.base64", "body.reserialized"],
      { body: Buffer.from(Buffer.from(PYTHON).toString("base64")) },
    ],
    [
      "a byte order mark and a line end",
      ["body.bom", "body.trailing_newline"],
      { body: Buffer.from(`\ufeff${BODY}\n`) },
    ],
    [
      "a lost prefix and a line feed",
      ["secret.prefix_dropped", "secret.whitespace"],
      { secret: `${SECRET.slice(6)}\n` },
    ],
    // A parser skips white space, so it is no fault of its own.
    [
      "a line end lost from a body that was serialized again",
      ["body.reserialized"],
      { body: Buffer.from(PYTHON), signature: signAs({ body: `${BODY}\n` }) },
    ],
    [
      "a line end after a body that was serialized again",
      ["body.reserialized"],
      { body: Buffer.from(`${PYTHON}\n`) },
    ],
    [
      "a line end after base64",
      ["body.base64"],
      { body: Buffer.from(`${Buffer.from(BODY).toString("base64")}\n`) },
    ],
    ["quotes and a line feed", ["secret.altered"], { secret: `"${SECRET}\n"` }],
  ])("proves what can be known of two faults that are rare or of one kind: %s", (_, causes, change) => {
    expect(listCauses(change)).toEqual(causes.map((cause) => `${cause} proved`));
  });
});

/** An ordinary payload without anything that resembles a fault. */
const payload = fc
  .record({
    id: fc.uuid(),
    type: fc.constantFrom("partner.test", "claim.updated"),
    data: fc.object({ maxDepth: 2 }),
  })
  .map((value) => JSON.stringify(value))
  // What JavaScript prints of numbers beyond 17 digits is evidence of one that it rounded.
  .filter((text) => !/\d{18}/.test(text));

const secrets = fc
  .base64String({ minLength: 36, maxLength: 48 })
  .map((each) => `whsec_${each.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`);
const seconds = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map(String);
const hex = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((all) => Buffer.from(all));

describe("explain of random deliveries", () => {
  const RUNS = { numRuns: IS_EXHAUSTIVE ? 150 : 8 };

  it("finds no cause in random bodies, secrets and signatures", () => {
    fc.assert(
      fc.property(
        fc.oneof(bytes, payload, fc.json()),
        secrets,
        seconds,
        hex,
        (noise, secret, timestamp, signature) => {
          const body = Buffer.from(noise);
          // Question marks can stand for characters that were lost, and long numbers can be rounded ones.
          fc.pre(readConstantText(body) === null && !/\?{3}|\d{17}/.test(body.toString()));
          const delivery = { secret, timestamp, body, signature };
          expect(explainDelivery(delivery)).toMatchObject({ verdict: "mismatch", causes: [] });
        },
      ),
      RUNS,
    );
  });

  it("proves nothing for values that are not signatures", () => {
    fc.assert(
      fc.property(
        payload,
        secrets,
        seconds,
        fc.string({ minLength: 1 }),
        (noise, secret, timestamp, signature) => {
          const delivery = { secret, timestamp, body: Buffer.from(noise), signature };
          const { verdict, causes } = explainDelivery(delivery);
          expect(["malformed", "missing_header"]).toContain(verdict);
          for (const { id, evidence } of causes) {
            expect(id).toMatch(/^signature\.(missing|copied|masked)$/);
            expect(evidence).not.toContain(secret);
          }
        },
      ),
      RUNS,
    );
  });

  it("finds no cause for the signature of another delivery or secret, or for a changed character", () => {
    const two = fc.tuple(payload, payload).filter(([one, other]) => one !== other);
    fc.assert(
      fc.property(two, secrets, secrets, seconds, fc.nat(), ([one, other], own, foreign, timestamp, at) => {
        fc.pre(own !== foreign);
        const right = { secret: own, timestamp, body: one };
        const headers = contentLength(Buffer.byteLength(other));
        const delivery = { ...right, body: Buffer.from(other), signature: sign(right) };
        expect(listCauses({ ...delivery, headers })).toEqual([]);
        expect(
          listCauses({ ...delivery, body: Buffer.from(one), signature: sign({ ...right, secret: foreign }) }),
        ).toEqual([]);
        // Every payload contains its type, and no JSON serializer changes it.
        const index = one.indexOf("partner") < 0 ? one.indexOf("claim") : one.indexOf("partner");
        const changed = Buffer.from(one);
        changed[index + (at % 5)] = 0x7a;
        expect(listCauses({ ...delivery, body: changed })).toEqual([]);
      }),
      RUNS,
    );
  });

  it("finds only a changed timestamp for another attempt of the event, if that is near", () => {
    fc.assert(
      fc.property(
        payload,
        secrets,
        seconds,
        fc.integer({ min: 1, max: 90_000 }),
        (body, secret, at, later) => {
          const delivery = {
            secret,
            body: Buffer.from(body),
            signature: sign({ secret, timestamp: at, body }),
          };
          const headers = contentLength(Buffer.byteLength(body));
          // A body may have a number that looks rounded.
          const causes = listCauses({ ...delivery, timestamp: String(Number(at) + later), headers }).filter(
            (cause) => cause !== "body.number_reprinted likely",
          );
          const isNear = later <= 900 || (later % 900 === 0 && later <= 50_400);
          expect(causes).toEqual(isNear ? ["timestamp.changed proved"] : []);
        },
      ),
      { numRuns: IS_EXHAUSTIVE ? 60 : 10, endOnFailure: true },
    );
  });
});
