import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAUSES, type ExplainInput, explain, sign } from "../../../../../src/signature.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";
const BODY = Buffer.from(
  '{"id":"3f0c9a","type":"partner.test","environment":"sandbox","createdAt":"2026-11-19T23:59:58.120Z","data":{"note":"caf\u00e9 <b> a/b","amount":1.0,"list":[],"nested":{"n":[1,2.50]}}}',
);

/** A received delivery. */
interface Received {
  readonly secret: string;
  readonly timestamp: string | null;
  readonly body: Buffer;
  readonly signature: string;
  readonly candidateSecrets?: ExplainInput["candidateSecrets"];
}

/** The inputs of the sender's signature. A fault of the sender changes these; a fault of the receiver changes the delivery. */
interface Sender {
  readonly key: string | Buffer;
  readonly timestamp: string;
  readonly body: Buffer;
  readonly base: (timestamp: string, body: Buffer) => (string | Buffer)[];
  readonly algorithm: string;
  readonly encode: (digest: Buffer) => string;
}

interface Fault {
  readonly id: string;
  readonly how: string;
  readonly received?: (delivery: Received) => Received;
  readonly sent?: (sender: Sender) => Sender;
}

const CORRECT: Sender = {
  key: SECRET,
  timestamp: TIMESTAMP,
  body: BODY,
  base: (timestamp, body) => [`${timestamp}.`, body],
  algorithm: "sha256",
  encode: (digest) => digest.toString("hex"),
};

function signDelivery({ key, timestamp, body, base, algorithm, encode }: Sender): Received {
  const hmac = createHmac(algorithm, key);
  for (const part of base(timestamp, body)) hmac.update(part);
  return { secret: SECRET, timestamp: TIMESTAMP, body: BODY, signature: encode(hmac.digest()) };
}

const body = (id: string, how: string, change: (body: Buffer) => Buffer | string): Fault => ({
  id: `body.${id}`,
  how,
  received: (delivery) => ({ ...delivery, body: Buffer.from(change(delivery.body)) }),
});
const text = (id: string, how: string, change: (text: string) => string): Fault =>
  body(id, how, (bytes) => change(bytes.toString("utf8")));
const signedBody = (id: string, how: string, change: (text: string) => string): Fault => ({
  id: `body.${id}`,
  how,
  sent: (sender) => ({ ...sender, body: Buffer.from(change(sender.body.toString("utf8"))) }),
});
const secret = (id: string, how: string, change: (secret: string) => string): Fault => ({
  id: `secret.${id}`,
  how,
  received: (delivery) => ({ ...delivery, secret: change(delivery.secret) }),
});
const key = (id: string, how: string, change: (key: string) => string | Buffer): Fault => ({
  id: `secret.${id}`,
  how,
  sent: (sender) => ({ ...sender, key: change(SECRET) }),
});
const candidate = (as: NonNullable<ExplainInput["candidateSecrets"]>[number]["kind"]): Fault => ({
  id: as === "api_key" || as === "client_secret" ? "secret.wrong_credential" : `secret.${as}`,
  how: "given as a candidate",
  sent: (sender) => ({ ...sender, key: "the-other-one" }),
  received: (delivery) => ({ ...delivery, candidateSecrets: [{ kind: as, secret: "the-other-one" }] }),
});
const time = (id: string, how: string, timestamp: string): Fault => ({
  id: `timestamp.${id}`,
  how,
  received: (delivery) => ({ ...delivery, timestamp }),
});
const signedTime = (id: string, how: string, timestamp: string): Fault => ({
  id: `timestamp.${id}`,
  how,
  sent: (sender) => ({ ...sender, timestamp }),
});
const base = (id: string, how: string, parts: Sender["base"]): Fault => ({
  id: `base.${id}`,
  how,
  sent: (sender) => ({ ...sender, base: parts }),
});
const receivedSignature = (id: string, how: string, change: (signature: string) => string): Fault => ({
  id: `signature.${id}`,
  how,
  received: (delivery) => ({ ...delivery, signature: change(delivery.signature) }),
});

const toAscii = (all: string): string =>
  all.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The body in other JSON styles, with unchanged numbers. */
const PYTHON = toAscii(
  BODY.toString("utf8").replaceAll('":', '": ').replaceAll(',"', ', "').replace("1,2.50", "1, 2.50"),
);
const INDENTED = `{
  "id": "3f0c9a",
  "type": "partner.test",
  "environment": "sandbox",
  "createdAt": "2026-11-19T23:59:58.120Z",
  "data": {
    "note": "caf\u00e9 <b> a/b",
    "amount": 1.0,
    "list": [],
    "nested": {
      "n": [
        1,
        2.50
      ]
    }
  }
}`;

const FAULTS: readonly Fault[] = [
  text("trailing_newline", "LF added", (all) => `${all}\n`),
  text("trailing_newline", "CRLF added", (all) => `${all}\r\n`),
  signedBody("trailing_newline", "LF lost", (all) => `${all}\n`),
  signedBody("trailing_newline", "CRLF lost", (all) => `${all}\r\n`),
  text("bom", "added", (all) => `\ufeff${all}`),
  signedBody("bom", "lost", (all) => `\ufeff${all}`),
  text("trimmed", "white space around it added", (all) => `  ${all} \n`),
  signedBody("trimmed", "a space after it lost", (all) => `${all} `),
  text("reserialized", "received as Python prints it", () => PYTHON),
  text("reserialized", "received indented", () => INDENTED),
  text("reserialized", "received as jq prints it, with LF", () => `${INDENTED}\n`),
  text("reserialized", "received in ASCII", toAscii),
  text("reserialized", "received as PHP prints it", (all) => toAscii(all).replaceAll("/", "\\/")),
  text("reserialized", "received as Go prints it", (all) => all.replace("<b>", "\\u003cb\\u003e")),
  signedBody("reserialized", "signed as Python prints it", () => PYTHON),
  signedBody("reserialized", "signed indented", () => INDENTED),
  signedBody("reserialized", "signed as PHP prints it", (all) => toAscii(all).replaceAll("/", "\\/")),
  signedBody("reserialized", "signed with PHP's JSON_UNESCAPED_UNICODE", (all) => all.replaceAll("/", "\\/")),
  signedBody("reserialized", "signed as Go prints it", (all) => all.replace("<b>", "\\u003cb\\u003e")),
  signedBody("reserialized", "signed as JavaScript prints it, 1.0 as 1", (all) =>
    JSON.stringify(JSON.parse(all)),
  ),
  text("double_encoded", "received", JSON.stringify),
  signedBody("double_encoded", "signed", JSON.stringify),
  body("base64", "received", (bytes) => bytes.toString("base64")),
  signedBody("base64", "signed", (all) => Buffer.from(all).toString("base64")),
  body("charset", "received", (bytes) => bytes.toString("latin1")),
  signedBody("charset", "signed", (all) => Buffer.from(all).toString("latin1")),
  text("form_encoded", "received", (all) => `payload=${encodeURIComponent(all).replaceAll("%20", "+")}`),
  signedBody("form_encoded", "signed", (all) => new URLSearchParams({ payload: all }).toString()),
  signedBody("empty", "signed", () => ""),
  signedBody("data_only", "signed", (all) => all.slice(all.indexOf('"data":') + 7, -1)),
  secret("whitespace", "a line feed", (all) => `${all}\n`),
  secret("whitespace", "spaces", (all) => `  ${all} `),
  key("whitespace", "signed with a line feed", (all) => `${all}\n`),
  secret("altered", "double", (all) => `"${all}"`),
  secret("prefix_dropped", "received", (all) => all.slice(6)),
  key("prefix_dropped", "signed", (all) => all.slice(6)),
  key("transformed", "signed", (all) => Buffer.from(all.slice(6), "base64")),
  candidate("api_key"),
  candidate("client_secret"),
  candidate("other_endpoint"),
  candidate("other_environment"),
  candidate("older"),
  key("empty", "signed", () => ""),
  time("reformatted", "received", `${TIMESTAMP}000`),
  signedTime("reformatted", "signed", `${TIMESTAMP}000`),
  time("reformatted", "received", "2026-11-20T00:00:00Z"),
  signedTime("reformatted", "signed", "2026-11-20T00:00:00.000Z"),
  signedTime("reformatted", "unchanged", "2026-11-19T23:59:58.120Z"),
  signedTime("changed", "2 s earlier, as the payload", "1795132798"),
  signedTime("missing", "signed empty", ""),
  time("reformatted", "received", ` ${TIMESTAMP}`),
  base("different", "signed", (_, all) => [all]),
  base("different", "signed", (timestamp, all) => [timestamp, all]),
  base("different", "a colon", (timestamp, all) => [`${timestamp}:`, all]),
  base("different", "a line feed", (timestamp, all) => [`${timestamp}\n`, all]),
  base("different", "signed", (timestamp, all) => [all, ".", timestamp]),
  receivedSignature("encoding", "received", (hex) => hex.toUpperCase()),
  receivedSignature("encoding", "received", (hex) => Buffer.from(hex, "hex").toString("base64")),
  receivedSignature("encoding", "sha256=", (hex) => `sha256=${hex}`),
  receivedSignature("encoding", "v1,", (hex) => `v1,${hex}`),
  receivedSignature("copied", "received", (hex) => ` ${hex}\n`),
  receivedSignature("copied", "received", (hex) => hex.slice(0, 32)),
  { id: "signature.algorithm", how: "signed", sent: (sender) => ({ ...sender, algorithm: "sha1" }) },
  { id: "signature.algorithm", how: "signed", sent: (sender) => ({ ...sender, algorithm: "sha512" }) },
];

function createDelivery(...faults: readonly Fault[]): Received {
  const sender = faults.reduce((before, { sent }) => sent?.(before) ?? before, CORRECT);
  return faults.reduce((before, { received }) => received?.(before) ?? before, signDelivery(sender));
}

function explainDelivery(
  { secret: own, timestamp, body: bytes, signature, candidateSecrets }: Received,
  extraHeaders: [string, string][] = [],
) {
  const headers: [string, string][] = [
    ...(timestamp === null ? [] : [["X-Service-Timestamp", timestamp] as [string, string]]),
    ["X-Service-Signature", signature],
    ...extraHeaders,
  ];
  return explain({ secrets: [own], headers, body: bytes, candidateSecrets });
}

const listCauses = (delivery: Received): string[] =>
  explainDelivery(delivery)
    .causes.map(({ id, certainty }) => `${id} ${certainty}`)
    .sort();

describe("explain of one fault", () => {
  it.each(FAULTS.map((fault) => [`${fault.id}, ${fault.how}`, fault] as const))("proves %s", (_, fault) => {
    expect(listCauses(createDelivery(fault))).toEqual([`${fault.id} proved`]);
  });

  it("proves LF replaced by CRLF and CRLF replaced by LF", () => {
    const crlf = Buffer.from(INDENTED.replaceAll("\n", "\r\n"));
    for (const [signed, received] of [
      [Buffer.from(INDENTED), crlf],
      [crlf, Buffer.from(INDENTED)],
    ] as const) {
      const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: signed });
      expect(listCauses({ secret: SECRET, timestamp: TIMESTAMP, body: received, signature })).toEqual([
        "body.line_endings proved",
      ]);
    }
  });

  it("proves a key decoded from hex", () => {
    const hex = "00ff10aa".repeat(8);
    const hmac = createHmac("sha256", Buffer.from(hex, "hex")).update(`${TIMESTAMP}.`).update(BODY);
    const delivery = { secret: hex, timestamp: TIMESTAMP, body: BODY, signature: hmac.digest("hex") };
    expect(listCauses(delivery)).toEqual(["secret.transformed proved"]);
  });

  it("proves a missing timestamp header when the time of the payload was signed", () => {
    const delivery = createDelivery(signedTime("missing", "the payload's", "1795132798"));
    expect(listCauses({ ...delivery, timestamp: null })).toEqual(["timestamp.missing proved"]);
  });

  it("proves repeated headers", () => {
    const delivery = createDelivery();
    const [one] = explainDelivery(delivery, [["X-Service-Signature", delivery.signature]]).causes;
    expect(one).toMatchObject({ id: "signature.doubled", certainty: "proved" });
    const joined = explainDelivery({
      ...delivery,
      signature: `${delivery.signature}, ${delivery.signature}`,
    });
    expect(joined).toMatchObject({ verdict: "malformed", causes: [{ id: "signature.doubled" }] });
    const [two] = explainDelivery(delivery, [["x-service-timestamp", "17"]]).causes;
    expect(two).toMatchObject({ id: "timestamp.doubled", certainty: "proved" });
  });

  it("reports the offset and a hexdump of the first difference", () => {
    const [cause] = explainDelivery(
      createDelivery(text("trailing_newline", "LF added", (all) => `${all}\n`)),
    ).causes;
    expect(cause?.evidence).toContain(`the first difference is at offset ${BODY.length}`);
    expect(cause?.evidence).toMatch(/here {4}(?:[0-9a-f]{2} )+7d 0a/);
    expect(cause?.fix).toBe(CAUSES["body.trailing_newline"].fix);
  });

  it("omits the hexdump of a body that contains the secret", () => {
    const bodyWithSecret = `{"rotated":"${SECRET}"}`;
    const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: bodyWithSecret });
    const delivery = {
      secret: SECRET,
      timestamp: TIMESTAMP,
      body: Buffer.from(`${bodyWithSecret}\n`),
      signature,
    };
    const [cause] = explainDelivery(delivery).causes;
    expect(cause?.id).toBe("body.trailing_newline");
    expect(cause?.evidence).toContain("the first difference is at offset");
    expect(cause?.evidence).not.toContain("signed  0");
  });

  it("names the sender as the cause if Content-Length shows that the body arrived unchanged", () => {
    const delivery = createDelivery(signedBody("reserialized", "signed as Python prints it", () => PYTHON));
    const length = (bytes: number): [string, string][] => [["Content-Length", String(bytes)]];
    expect(explainDelivery(delivery, length(BODY.length)).causes[0]?.id).toBe("base.reserialized");
    expect(explainDelivery(delivery, length(PYTHON.length)).causes[0]?.id).toBe("body.reserialized");
  });
});

/** The twelve that support meets most often; of the others, `npm test` tries no pairs. */
const COMMON = [
  "body.trailing_newline, LF added",
  "body.reserialized, received as Python prints it",
  "body.base64, received",
  "body.double_encoded, received",
  "secret.whitespace, a line feed",
  "secret.altered, double",
  "secret.prefix_dropped, received",
  "timestamp.reformatted, received",
  "timestamp.reformatted, received",
  "base.different, signed",
  "signature.encoding, received",
  "signature.encoding, received",
];

describe("explain of two faults", () => {
  it("are all pairs of common faults", () => {
    const names = FAULTS.map(({ id, how }) => `${id}, ${how}`);
    expect(COMMON.filter((name) => !names.includes(name))).toEqual([]);
  });

  const kindOf = ({ id }: Fault): string => id.split(".")[0] ?? "";
  // A base string without a timestamp hides changes of the timestamp, and an empty timestamp without its dot equals none.
  const isIndistinguishable = (one: Fault, other: Fault): boolean => {
    const ids = [one.id, other.id];
    return (
      (ids.includes("base.different") && ids.some((id) => id.startsWith("timestamp."))) ||
      (ids.includes("base.different") && ids.includes("timestamp.missing"))
    );
  };
  const pairs = FAULTS.flatMap((one, index) =>
    FAULTS.slice(index + 1)
      .filter((other) => kindOf(one) !== kindOf(other))
      .filter((other) => !isIndistinguishable(one, other))
      .map((other) => [one, other] as const),
  ).filter((pair) => IS_EXHAUSTIVE || pair.every(({ id, how }) => COMMON.includes(`${id}, ${how}`)));

  it(`proves ${pairs.length} pairs of two kinds`, () => {
    const wrong = pairs.flatMap((faults) => {
      const actual = listCauses(createDelivery(...faults)).join(" + ");
      const expected = faults
        .map(({ id }) => `${id} proved`)
        .sort()
        .join(" + ");
      return actual === expected
        ? []
        : [`${faults.map(({ id, how }) => `${id} (${how})`).join(" + ")}: ${actual || "unexplained"}`];
    });
    expect(wrong).toEqual([]);
  });

  const ofOneKind = FAULTS.flatMap((one) =>
    FAULTS.filter((other) => other !== one && kindOf(one) === kindOf(other)).map(
      (other) => [one, other] as const,
    ),
  )
    .filter((pair) => pair.every(({ id, how }) => COMMON.includes(`${id}, ${how}`)))
    // Some notations of the signature hide each other.
    .filter((pair) => !pair.every(({ id }) => id === "signature.encoding"));
  /** What can be known of a pair of which one fault hides the other: a parser skips white space, and some faults replace all. */
  const HIDDEN: Readonly<Record<string, string>> = {
    "body.base64 + body.reserialized": "body.reserialized",
    "body.base64 + body.trailing_newline": "body.base64",
    "body.double_encoded + body.reserialized": "body.reserialized",
    "body.double_encoded + body.trailing_newline": "body.double_encoded",
    "body.reserialized + body.trailing_newline": "body.reserialized",
    "body.trailing_newline + body.reserialized": "body.reserialized",
    "timestamp.reformatted + timestamp.reformatted": "timestamp.reformatted",
    // The digits of the digest, or the prefix of the secret, are lost.
    // One undo is enough for both.
    "secret.altered + secret.whitespace": "secret.altered",
    "secret.whitespace + secret.altered": "secret.altered",
    "base.different + base.different": "base.different",
  };

  it(`proves what can be known of ${ofOneKind.length} pairs of one kind, in both orders`, () => {
    const results = ofOneKind.map((faults) => {
      const pair = faults.map(({ id }) => id);
      const name = pair.join(" + ");
      const expected = HIDDEN[name] ?? pair.toSorted().join(" + ");
      const actual = listCauses(createDelivery(...faults)).join(" + ");
      return { name, expected, actual: actual.replaceAll(" proved", "") };
    });
    expect(results.filter(({ expected, actual }) => expected !== actual)).toEqual([]);
    expect(ofOneKind.length).toBeGreaterThan(20);
  });

  it.each([
    [
      "base64 of a body that was serialized again",
      [text("reserialized", "", () => PYTHON), body("base64", "", (bytes) => bytes.toString("base64"))],
    ],
    [
      "a byte order mark and a line end",
      [text("bom", "", (all) => `\ufeff${all}`), text("trailing_newline", "", (all) => `${all}\n`)],
    ],
    [
      "a line end lost from a body that was serialized again",
      [signedBody("trailing_newline", "", (all) => `${all}\n`), text("reserialized", "", () => INDENTED)],
    ],
    [
      "a lost prefix and a line feed",
      [secret("prefix_dropped", "", (all) => all.slice(6)), secret("whitespace", "", (all) => `${all}\n`)],
    ],
  ] as const)("proves two faults of one kind: %s", (_, faults) => {
    expect(listCauses(createDelivery(...faults))).toEqual(faults.map(({ id }) => `${id} proved`).sort());
  });
});

/** An ordinary payload without anything that resembles a fault. */
const payload = fc
  .record({
    id: fc.uuid(),
    type: fc.constantFrom("partner.test", "claim.updated"),
    data: fc.object({ maxDepth: 2 }),
  })
  .map((value) => JSON.stringify(value));

const secrets = fc
  .base64String({ minLength: 36, maxLength: 48 })
  .map((each) => `whsec_${each.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`);
const seconds = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map(String);
const hex = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((all) => Buffer.from(all));

describe("explain of random deliveries", () => {
  const RUNS = { numRuns: IS_EXHAUSTIVE ? 150 : 20 };
  const FEWER = { numRuns: IS_EXHAUSTIVE ? 60 : 10, endOnFailure: true };

  it("finds no cause in random bodies, secrets and signatures", () => {
    fc.assert(
      fc.property(
        fc.oneof(bytes, payload, fc.json()),
        secrets,
        seconds,
        hex,
        (noise, own, timestamp, signature) => {
          const delivery = { secret: own, timestamp, body: Buffer.from(noise), signature };
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
        (noise, own, timestamp, signature) => {
          const { verdict, causes } = explainDelivery({
            secret: own,
            timestamp,
            body: Buffer.from(noise),
            signature,
          });
          expect(["malformed", "missing_header"]).toContain(verdict);
          for (const { id, evidence } of causes) {
            expect(id).toMatch(/^signature\.(missing|copied|masked)$/);
            expect(evidence).not.toContain(own);
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
        const length = [["Content-Length", String(Buffer.byteLength(other))]] as [string, string][];
        const delivery = { ...right, body: Buffer.from(other), signature: sign(right) };
        expect(explainDelivery(delivery, length).causes).toEqual([]);
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

  /** Genuine deliveries. */
  const deliveries = fc.record({ secret: secrets, timestamp: seconds, body: payload });
  /** The other headers of a genuine delivery, all correct. */
  const correctHeaders = (body: string): [string, string][] => [
    ["Content-Type", "application/json"],
    ["Content-Length", String(Buffer.byteLength(body))],
  ];
  const toReceived = ({
    secret: own,
    timestamp,
    body: text,
  }: {
    secret: string;
    timestamp: string;
    body: string;
  }) => ({
    secret: own,
    timestamp,
    body: Buffer.from(text),
  });

  it("finds no cause for another attempt of the event, or for an event that differs only in its id", () => {
    fc.assert(
      fc.property(deliveries, fc.integer({ min: 1, max: 90_000 }), fc.uuid(), (one, later, id) => {
        const signature = sign(one);
        const retried = { ...one, timestamp: String(Number(one.timestamp) + later) };
        const causes = explainDelivery(
          { ...toReceived(retried), signature },
          correctHeaders(one.body),
        ).causes;
        const isNear = later <= 900 || (later % 900 === 0 && later <= 50_400);
        expect(causes.map(({ id }) => id)).toEqual(isNear ? ["timestamp.changed"] : []);
        const renamed = { ...one, body: JSON.stringify({ ...JSON.parse(one.body), id }) };
        expect(
          explainDelivery({ ...toReceived(renamed), signature }, correctHeaders(renamed.body)).causes,
        ).toEqual([]);
      }),
      FEWER,
    );
  });

  it("explains a delivery to another endpoint when its secret or its secretPrefix is known", () => {
    fc.assert(
      fc.property(deliveries, secrets, (one, own) => {
        fc.pre(own.slice(0, 12) !== one.secret.slice(0, 12));
        const delivery = { ...toReceived({ ...one, secret: own }), signature: sign(one) };
        expect(explainDelivery(delivery, correctHeaders(one.body)).causes).toEqual([]);
        const candidateSecrets = [{ kind: "other_endpoint", secret: one.secret }] as const;
        expect(listCauses({ ...delivery, candidateSecrets })).toEqual(["secret.other_endpoint proved"]);
        const { causes } = explain({
          secrets: [own],
          headers: { "x-service-timestamp": one.timestamp, "x-service-signature": delivery.signature },
          body: one.body,
          secretPrefix: one.secret.slice(0, 12),
        });
        expect(causes).toMatchObject([{ id: "secret.other_endpoint", certainty: "likely" }]);
      }),
      FEWER,
    );
  });

  it("proves nothing from hex digits of any length", () => {
    const digits = fc
      .uint8Array({ minLength: 1, maxLength: 80 })
      .map((all) => Buffer.from(all).toString("hex"));
    fc.assert(
      fc.property(deliveries, digits, fc.boolean(), (one, signature, isUpperCase) => {
        const delivery = { ...toReceived(one), signature: isUpperCase ? signature.toUpperCase() : signature };
        for (const { certainty } of explainDelivery(delivery, correctHeaders(one.body)).causes)
          expect(certainty).toBe("likely");
      }),
      FEWER,
    );
  });

  it("proves a changed, lost or added byte only if the JSON is equal", () => {
    const sameJson = (one: Buffer, other: string): boolean => {
      try {
        return isDeepStrictEqual(JSON.parse(one.toString("utf8")), JSON.parse(other));
      } catch {
        return false;
      }
    };
    const withoutSpace = (all: Buffer) => all.toString("latin1").replaceAll(/[ \t\r\n]/g, "");
    const change = fc.record({
      at: fc.nat(),
      byte: fc.oneof(fc.constantFrom(0x20, 0x0a, 0x09), fc.nat(255)),
    });
    fc.assert(
      fc.property(
        deliveries,
        change,
        fc.constantFrom(0, 1),
        fc.constantFrom(0, 1),
        (one, { at, byte }, lost, added) => {
          const bytes = Buffer.from(one.body);
          const from = at % (bytes.length + 1);
          const body = Buffer.concat([
            bytes.subarray(0, from),
            Buffer.from([byte]).subarray(0, added),
            bytes.subarray(from + lost),
          ]);
          const { verdict, causes } = explainDelivery({ ...toReceived(one), body, signature: sign(one) });
          const proved = causes.filter(({ certainty }) => certainty === "proved");
          if (verdict === "valid") expect(body).toEqual(bytes);
          else if (proved.length > 0) {
            const ids = proved.map(({ id }) => id).join();
            if (ids === "body.first_byte_lost") expect(body).toEqual(bytes.subarray(1));
            // White space in the place of a byte near the end is also a lost end and a reprint.
            else if (ids.startsWith("body.truncated"))
              expect(withoutSpace(body)).toBe(withoutSpace(bytes.subarray(0, -1)));
            else if (ids === "body.percent_encoded")
              expect(body.toString()).toBe(bytes.toString().replaceAll("+", " "));
            // A byte that was added or lost at an end.
            else if (/^body\.(?:surrounded|printed)$/.test(ids))
              expect(body.includes(bytes.subarray(1, -1))).toBe(true);
            else if (ids === "body.nul_padding") expect(body).toEqual(Buffer.from(`${one.body}\0`));
            else {
              expect(ids).toMatch(/^body\.(trailing_newline|trimmed|reserialized)$/);
              expect(sameJson(body, one.body), ids).toBe(true);
            }
          }
        },
      ),
      FEWER,
    );
  });

  it("reports a genuine delivery as valid, without a cause", () => {
    fc.assert(
      fc.property(fc.oneof(bytes, payload), secrets, seconds, (anything, own, timestamp) => {
        const signed = { secret: own, timestamp, body: Buffer.from(anything) };
        expect(explainDelivery({ ...signed, signature: sign(signed) })).toMatchObject({
          verdict: "valid",
          causes: [],
          tried: 0,
        });
      }),
      RUNS,
    );
  });
});

describe("explain with evidence", () => {
  const genuine = signDelivery(CORRECT);
  const listLikelyCauses = (delivery: Received, extraHeaders: [string, string][] = []): string[] =>
    explainDelivery(delivery, extraHeaders).causes.map(({ id, certainty }) => `${id} ${certainty}`);
  const withBody = (text: string | Buffer): Received => ({ ...genuine, body: Buffer.from(text) });
  const contentLength = (bytes: number): [string, string][] => [["content-length", String(bytes)]];
  const printed = JSON.stringify(JSON.parse(BODY.toString("utf8")));

  it.each<[string, string, Received, [string, string][]]>([
    ["truncated JSON", "body.truncated", withBody(BODY.subarray(0, 100)), []],
    [
      "JSON truncated inside a character",
      "body.truncated",
      withBody(BODY.subarray(0, BODY.indexOf("\u00e9") + 1)),
      [],
    ],
    [
      "fewer bytes than Content-Length, not JSON",
      "body.truncated",
      withBody("id=3f0c9a;ty"),
      contentLength(20),
    ],
    ["no body", "body.empty", withBody(""), []],
    ["U+FFFD", "body.replaced_characters", withBody(BODY.toString("utf8").replace("\u00e9", "\ufffd")), []],
    [
      "a form converted to JSON",
      "body.form_encoded",
      withBody('{"id":["3f0c9a"]}'),
      [["Content-Type", "application/x-www-form-urlencoded"], ...contentLength(9)],
    ],
    [
      "1.0 printed as 1",
      "body.number_reprinted",
      withBody(printed.replace("2.5", "2")),
      contentLength(Buffer.byteLength(printed) + 2),
    ],
    [
      "an indented body of another length",
      "body.reserialized",
      withBody(JSON.stringify(JSON.parse(printed), null, 2)),
      contentLength(BODY.length),
    ],
    [
      "a secret like an API key",
      "secret.wrong_credential",
      { ...genuine, secret: "sk_sandbox_0123456789" },
      [],
    ],
    [
      "a secret like a client's",
      "secret.wrong_credential",
      { ...genuine, secret: "cs_sandbox_0123456789" },
      [],
    ],
    ["an empty secret", "secret.empty", { ...genuine, secret: "" }, []],
    ["the length of MD5", "signature.algorithm", { ...genuine, signature: "0".repeat(32) }, []],
    ["the length of SHA-1", "signature.algorithm", { ...genuine, signature: "0".repeat(40) }, []],
    ["the length of SHA-384", "signature.algorithm", { ...genuine, signature: "0".repeat(96) }, []],
    ["the length of SHA-512", "signature.algorithm", { ...genuine, signature: "0".repeat(128) }, []],
  ])("finds a likely cause for %s: %s", (_, id, delivery, extraHeaders) => {
    expect(listLikelyCauses(delivery, extraHeaders)).toEqual([`${id} likely`]);
  });

  it("ignores the Content-Length of a compressed body", () => {
    const delivery = { ...genuine, body: Buffer.from(printed.replace("3f0c9a", "3f0c9b")) };
    expect(listLikelyCauses(delivery, contentLength(100))).toEqual(["body.reserialized likely"]);
    expect(listLikelyCauses(delivery, [...contentLength(100), ["Content-Encoding", "gzip"]])).toEqual([]);
  });

  it("suspects another endpoint when the secret does not begin with secretPrefix", () => {
    const other = sign({ secret: "whsec_elsewhere", timestamp: TIMESTAMP, body: BODY });
    const headers = { "X-Service-Timestamp": TIMESTAMP, "X-Service-Signature": other };
    const given = { secrets: [SECRET], headers, body: BODY };
    expect(explain({ ...given, secretPrefix: "whsec_elsewh" }).causes).toMatchObject([
      { id: "secret.other_endpoint", certainty: "likely" },
    ]);
    expect(explain({ ...given, secretPrefix: SECRET.slice(0, 12) }).causes).toEqual([]);
  });
});

describe("explain of large bodies", () => {
  /** Of the sizes whose explanation may take a second each. */
  const SHARE = IS_EXHAUSTIVE ? 1 : 0.25;

  it("searches within bounds, and reports an incomplete search", () => {
    const item = { id: "3f0c9a", note: "caf\u00e9 </b>", amount: 12.5, list: [1, 2, 3] };
    const large = JSON.stringify({ data: Array.from({ length: 16_000 * SHARE }, () => item) });
    const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: large });
    const indented = Buffer.from(`${JSON.stringify(JSON.parse(large), null, 2)}\n`);
    expect(listCauses({ secret: SECRET, timestamp: TIMESTAMP, body: indented, signature })).toEqual([
      "body.reserialized proved",
    ]);
    const noise = explainDelivery({
      secret: SECRET,
      timestamp: TIMESTAMP,
      body: indented,
      signature: "0".repeat(64),
    });
    expect(noise).toMatchObject({ causes: [], complete: false });
    expect(noise.tried).toBeGreaterThan(60);
  });

  it("handles strings of megabytes and a million nested lists", { tags: "large" }, () => {
    for (const body of [
      `{"a":"${"\\n".repeat(2_000_000 * SHARE)}`,
      "[".repeat(1_000_000 * SHARE),
      `{"a":"${"x".repeat(3_000_000 * SHARE)}"}`,
    ])
      expect(
        explainDelivery({
          secret: SECRET,
          timestamp: TIMESTAMP,
          body: Buffer.from(body),
          signature: "0".repeat(64),
        }).verdict,
      ).toBe("mismatch");
  });
});

it("explain undoes the form encoding of URLSearchParams for any characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 50 }), (text) => {
      const body = `${text} !'()~*-._é`;
      const signed = new URLSearchParams({ payload: body }).toString();
      const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: signed });
      const headers = { "x-service-timestamp": TIMESTAMP, "x-service-signature": signature };
      const { causes } = explain({ secrets: [SECRET], headers, body });
      expect(causes.map(({ id }) => id)).toContain("body.form_encoded");
    }),
    { numRuns: 20 },
  );
});
