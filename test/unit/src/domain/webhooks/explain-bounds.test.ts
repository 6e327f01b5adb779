import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExplainInput, type Explanation, explain, sign } from "../../../../../src/signature.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { codePoint } from "../../../../support/unicode.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

const createInput = (body: Uint8Array | string, signature = "ab".repeat(32)): ExplainInput => ({
  secrets: [SECRET],
  headers: { "x-service-timestamp": TIMESTAMP, "x-service-signature": signature },
  body,
});

const createKeys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index])));

const causesOf = ({ causes }: Explanation): string[] =>
  causes.map(({ id, certainty }) => `${id} ${certainty}`);

describe("the limits of explain", () => {
  const KEYS = IS_EXHAUSTIVE ? 160_000 : 40_000;

  it.each([
    ["10,000 opening brackets", true, "[".repeat(10_000)],
    ["1,000 nested lists", false, "[".repeat(1_000) + "]".repeat(1_000)],
    ["10,000 nested lists", false, "[".repeat(10_000) + "]".repeat(10_000)],
    ["20,000 line feeds between letters", true, `a${"\n".repeat(20_000)}b`],
    [`${KEYS} keys`, false, createKeys(KEYS)],
  ])("end the search without a cause for %s, with complete: %s", { tags: "large" }, (_, complete, body) => {
    const explanation = explain(createInput(body));
    expect(explanation).toMatchObject({ verdict: "mismatch", causes: [], complete, failure: null });
    expect(explanation.tried).toBeGreaterThan(40);
  });

  it.each([
    ["a line end after 10,000 nested lists", (deep: string) => `${deep}\n`, "body.trailing_newline proved"],
    [
      "a space between 10,000 nested lists",
      (deep: string) => deep.replace("[[", "[ ["),
      "body.reserialized proved",
    ],
  ])("still allow a single fault to be proved: %s", (_, change, cause) => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: deep });
    expect(causesOf(explain(createInput(change(deep), signature)))).toEqual([cause]);
  });

  it("allow the indentation of up to 64 nested levels", () => {
    const explainIndented = (depth: number) => {
      const body = "[".repeat(depth) + "1" + "]".repeat(depth);
      const indented = JSON.stringify(JSON.parse(body), null, 2);
      return explain(createInput(body, sign({ secret: SECRET, timestamp: TIMESTAMP, body: indented })));
    };
    expect(causesOf(explainIndented(64))).toEqual(["body.reserialized proved"]);
    expect(explainIndented(65)).toMatchObject({ causes: [], complete: false });
  });

  it("do not affect the verdict of 500 secrets", () => {
    const secrets = Array.from({ length: 500 }, (_, index) => `whsec_${index}`);
    const all = { ...createInput('{"a":1}'), secrets };
    const { complete, tried } = explain(all);
    expect(complete).toBe(false);
    expect(tried).toBeGreaterThan(secrets.length);
    const signature = sign({ secret: "whsec_499", timestamp: TIMESTAMP, body: '{"a":1}' });
    expect(explain({ ...createInput('{"a":1}', signature), secrets })).toMatchObject({
      verdict: "valid",
      secretIndex: 499,
    });
  });

  it("let shouldStop end the search, but still find likely causes", () => {
    let calls = 0;
    const shouldStop = () => {
      calls += 1;
      return calls > 10;
    };
    const { tried, complete, causes } = explain({ ...createInput('{"a":[1,2'), shouldStop });
    expect({ complete, ids: causes.map(({ id }) => id) }).toEqual({
      complete: false,
      ids: ["body.truncated"],
    });
    expect(tried).toBeLessThan(10);
  });
});

describe("explain of a printed body", () => {
  const findCauses = (body: string, signed: string) =>
    explain(createInput(body, sign({ secret: SECRET, timestamp: TIMESTAMP, body: signed }))).causes.map(
      ({ id }) => id,
    );

  it("reproduces JSON.stringify from JSON with any escapes and spaces", () => {
    const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    const hex = (unit: number) => `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`;
    const write = (value: unknown): string => {
      if (typeof value === "string") return `"${units(value).map(hex).join("")}"`;
      if (Array.isArray(value)) return `[ ${value.map(write).join(" ,\t")}\n]`;
      if (typeof value !== "object" || value === null) return JSON.stringify(value);
      const fields = Object.entries(value).map(([key, each]) => `${write(key)} : ${write(each)}`);
      return `{\r\n${fields.join(",  ")} }`;
    };
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), fc.constantFrom(0, 2, 4), (value, indent) => {
        expect(findCauses(write([value]), JSON.stringify([value], null, indent))).toEqual([
          "body.reserialized",
        ]);
      }),
      { numRuns: IS_EXHAUSTIVE ? 100 : 15 },
    );
  });
});
