import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { explain, sign, verify } from "../../../../../src/signature.ts";
import { fixture } from "../../../../support/cli.ts";

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly headers: readonly [string, string][];
  readonly bodyBase64: string;
  readonly verdict: string;
  readonly now?: number;
  readonly toleranceSeconds?: number;
  readonly causes?: readonly string[];
}

const { vectors } = JSON.parse(readFileSync(fixture("signatures/vectors.json"), "utf8")) as {
  vectors: Vector[];
};

const headerOf = ({ headers }: Vector, name: string): string =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? "";

/** Vectors with a matching signature. */
const genuine = vectors.filter(({ verdict }) => verdict === "valid" || verdict === "stale");

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

describe.each(vectors.map((vector) => [vector.name, vector] as const))(
  "signature vector: %s",
  (_, vector) => {
    const body = Buffer.from(vector.bodyBase64, "base64");

    it(`is ${vector.verdict}, without a secret in the explanation`, () => {
      const result = verify({ ...vector, body });
      expect(result.verdict).toBe(vector.verdict);
      const explained = explain({ ...vector, body });
      expect(explained).toMatchObject(result);
      expect(explained.causes.map(({ id }) => id)).toEqual(vector.causes ?? []);
      const text = JSON.stringify(explained);
      for (const secret of vector.secrets.filter(Boolean)) expect(text).not.toContain(secret.trim());
    });
  },
);

describe("the signatures of the vectors", () => {
  const cases = genuine.map((vector) => {
    const body = Buffer.from(vector.bodyBase64, "base64");
    const timestamp = headerOf(vector, "x-service-timestamp");
    const index = verify({ ...vector, body }).secretIndex ?? -1;
    return {
      name: vector.name,
      secret: vector.secrets[index] ?? "",
      timestamp,
      body,
      signature: headerOf(vector, "x-service-signature"),
    };
  });

  it("equal the output of sign()", () => {
    expect(cases.length).toBeGreaterThan(10);
    for (const each of cases) expect(sign(each), each.name).toBe(each.signature);
  });

  it.skipIf(!has("openssl", "version"))("equal the output of openssl", () => {
    for (const { name, secret, timestamp, body, signature } of cases) {
      const key = Buffer.from(secret).toString("hex");
      const { stdout } = spawnSync(
        "openssl",
        ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key}`],
        { input: Buffer.concat([Buffer.from(`${timestamp}.`), body]), encoding: "utf8" },
      );
      expect(stdout.trim().split(" ").at(-1), name).toBe(signature);
    }
  });
});

/** Recorded: `Stripe.webhooks.generateTestHeaderString()` of stripe 23.1.0, which signs the same base string. */
const SIGNED_BY_STRIPE = [
  {
    name: "text beyond ASCII",
    secret: "whsec_schlüssel_鍵",
    timestamp: "1795132801",
    body: '{"name":"Zoë – 株式会社 🚢"}',
    signature: "8cbf92b40add76db19a20efbf04d7044d4ae04c3c850d530c448cafbd917d2ca",
  },
  {
    name: "full stops in the body",
    secret: "whsec_stripe.dots",
    timestamp: "1795132803",
    body: "1795132803.{}.",
    signature: "3a9bf0025c45bd0d3514bbbe72ae1c6077e5aea1b4024533725c9a0baae984fc",
  },
];

it.each(SIGNED_BY_STRIPE)(
  "a signature of the stripe package, which uses the same base string, equals the output of sign(), and verify() accepts it: $name",
  (signed) => {
    const { secret, timestamp, body, signature } = signed;
    expect(sign(signed)).toBe(signature);
    const headers = { "x-service-timestamp": timestamp, "x-service-signature": signature };
    const verdictOf = (text: string) => verify({ secrets: [secret], headers, body: text }).verdict;
    expect(verdictOf(body)).toBe("valid");
    expect(verdictOf(`${body} `)).toBe("mismatch");
  },
);

describe("verify()", () => {
  const input = { secrets: ["whsec_made-up"], headers: {}, body: "{}" };

  it("accepts headers in the forms of Node, Lambda and fetch", () => {
    const body = "{}";
    const timestamp = "1795132800";
    const signature = sign({ secret: "whsec_made-up", timestamp, body });
    const record = { "x-service-timestamp": timestamp, "x-service-signature": signature };
    for (const headers of [
      record,
      new Headers(record),
      Object.entries(record),
      new Map(Object.entries(record)).entries(),
      { ...record, other: undefined, list: ["a", "b"] },
    ])
      expect(verify({ secrets: ["whsec_other", "whsec_made-up"], headers, body })).toMatchObject({
        verdict: "valid",
        secretIndex: 1,
      });
    const twice = { ...record, "x-service-signature": [signature, signature] };
    expect(verify({ ...input, headers: twice }).verdict).toBe("malformed");
  });
});
