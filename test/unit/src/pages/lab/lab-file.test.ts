import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labScript } from "../../../../../build/lab.js";
import { decompress } from "../../../../../src/cli/commands/webhooks/input-formats/containers.ts";
import { renderLabFile } from "../../../../../src/pages/lab/lab-file.tsx";
import { type ExplainInput, explain } from "../../../../../src/signature.ts";
import { fixture } from "../../../../support/cli.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { GENUINE, toInput } from "../../domain/webhooks/explain/delivery.ts";
import { FAULTS } from "../../domain/webhooks/explain/faults.ts";
import { PAIRS } from "../../domain/webhooks/explain/random-faults.ts";

const RUNS = IS_EXHAUSTIVE ? 10_000 : 15;

const html = renderLabFile();
const [, script = ""] = /<script>(.*)<\/script>/s.exec(html) ?? [];

/** A realm with only what every browser has: no Buffer, no modules. */
const browser = vm.createContext({ TextDecoder, TextEncoder, URLSearchParams, atob, btoa });
vm.runInContext(script, browser);

function explainInPage(input: ExplainInput): unknown {
  browser.input = { ...input, body: new Uint8Array(Buffer.from(input.body as Uint8Array)) };
  return JSON.parse(String(vm.runInContext("JSON.stringify(signatureLab.explainInBrowser(input))", browser)));
}

/** As the command line does it, but without brotli. */
const explainHere = (input: ExplainInput): unknown =>
  JSON.parse(
    JSON.stringify(
      explain({
        ...input,
        decompress: (bytes, compression, maxBytes) => {
          if (compression === "br") throw new Error("no brotli");
          return decompress(bytes, compression, maxBytes);
        },
      }),
    ),
  );

describe("the file of the lab", () => {
  it("is small, ASCII, and the same in two builds", async () => {
    expect(html.length).toBeLessThanOrEqual(190_000);
    expect(html).toMatch(/^[\n\x20-\x7e\u00b7\u2026]*$/);
    const [one, other] = await Promise.all([1, 2].map(() => labScript.load("\0virtual:lab-script")));
    expect(one).toBe(other);
    expect(one).toBe(`export default ${JSON.stringify(script)}`);
  });

  it("may run this script and no other, and may connect to nothing", () => {
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    const directives = policy.replaceAll("&#39;", "'").split("; ");
    expect(directives).toContain("default-src 'none'");
    expect(directives).toContain("connect-src 'none'");
    expect(directives).toContain("form-action 'none'");
    expect(directives).toContain(`script-src 'sha256-${hash}'`);
    expect(policy).not.toMatch(/unsafe|http/);
    expect(html).not.toMatch(/<(?:textarea|input)[^>]* name=/);
    expect(script).not.toMatch(/\bfetch\(|XMLHttpRequest|sendBeacon|localStorage|sessionStorage|indexedDB/);
  });

  it.each([
    ["preact", "Jason Miller"],
    ["@noble/hashes", "Paul Miller"],
    ["fflate", "Arjun Barrett"],
    ["buffer", "Feross Aboukhadijeh"],
  ])("has the licence of %s", (name, holder) => {
    expect(script).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, "m"));
    expect(script).toContain(holder);
  });
});

describe("the script of the lab explains as verify does", () => {
  const { vectors } = JSON.parse(readFileSync(fixture("signatures/vectors.json"), "utf8")) as {
    vectors: (ExplainInput & { name: string; bodyBase64: string })[];
  };

  it.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const input = { ...vector, body: Buffer.from(vector.bodyBase64, "base64") };
    expect(explainInPage(input)).toEqual(explainHere(input));
  });

  it("the faults of the table", () => {
    const faults = IS_EXHAUSTIVE ? FAULTS : FAULTS.filter((_, index) => index % 25 === 0);
    for (const { name, delivery } of faults)
      expect(explainInPage(toInput(delivery)), name).toEqual(explainHere(toInput(delivery)));
  });

  it("a body in brotli as likely", () => {
    const [fault] = FAULTS.filter(({ name }) => /brotli/i.test(name));
    const { causes } = explainInPage(toInput((fault as NonNullable<typeof fault>).delivery)) as {
      causes: { id: string; certainty: string }[];
    };
    expect(causes.map(({ id, certainty }) => `${id} ${certainty}`)).toEqual(["body.compressed likely"]);
  });

  it(`${RUNS} random faults`, { tags: "large", timeout: 3_600_000 }, () => {
    const verdicts = new Set<unknown>();
    fc.assert(
      fc.property(PAIRS, ({ received }) => {
        const input = toInput({ ...GENUINE, ...received });
        const explanation = explainHere(input) as { verdict: string; causes: { id: string }[] };
        expect(explainInPage(input)).toEqual(explanation);
        for (const each of [explanation.verdict, ...explanation.causes.map(({ id }) => id)])
          verdicts.add(each);
      }),
      { numRuns: RUNS, seed: 18, endOnFailure: true },
    );
    expect(verdicts.size).toBeGreaterThan(5);
  });
});
