import { expect, test } from "vitest";
import { seededRandom } from "../../../../../../sandbox/engine/random.ts";
import { createUnknownFields } from "../../../../../../sandbox/engine/service/grease/unknown-fields.ts";
import { getContract } from "../../../../../../src/contract/openapi.ts";
import { report } from "../../../../../../src/contract/operations/diligence.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const document = {
  byRoute: { cape: { entries: 1 } },
  totals: { entriesSubmitted: 1 },
  rejections: [{ line: 2, errors: [{ code: "x" }] }],
  warnings: {},
};

const addFields = (seed: number, to: object = document) =>
  createUnknownFields(seededRandom(seed)).addEverywhere(to, report) as typeof document;

test("unknown fields never have names of the contract", () => {
  const named = new Set<string>();
  for (const seed of SEEDS) {
    const names = Object.keys(addFields(seed)).filter((name) => !Object.hasOwn(document, name));
    expect(Object.keys(addFields(seed, {})).sort()).toEqual([...names].sort());
    expect(JSON.stringify(addFields(seed))).toBe(JSON.stringify(addFields(seed)));
    for (const name of names) named.add(name);
  }
  expect(named.size).toBeGreaterThan(8);
  const { canonicalJson: canonical } = getContract();
  for (const name of named) expect(canonical).not.toContain(`${JSON.stringify(name)}:`);
});
