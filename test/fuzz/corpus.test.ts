import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCorpus } from "./corpus.ts";
import { TARGETS } from "./targets/index.ts";

/** `npm run fuzz` tries as many as there is time for. */
const RANDOM_INPUTS = 1;

describe.each(TARGETS)("the invariants of the fuzz target $name", ({ name, arbitrary, open }) => {
  it("hold for every input that once broke one, and for some that are random", async () => {
    const errors: unknown[] = [];
    const corpus = readCorpus(name);
    const random = fc.sample(arbitrary, { numRuns: RANDOM_INPUTS, seed: 1 });
    for (const greaseSeed of new Set([null, 1, ...corpus.map((entry) => entry.greaseSeed)])) {
      const known = corpus.filter((entry) => entry.greaseSeed === greaseSeed).map(({ input }) => input);
      const session = await open((error) => errors.push(error), greaseSeed);
      try {
        const isCommon = greaseSeed === null || greaseSeed === 1;
        for (const input of isCommon ? [...known, ...random] : known) await session.check(input);
      } finally {
        await session.close();
      }
    }
    expect(errors).toEqual([]);
  });
});
