import fc from "fast-check";
import { expect, it } from "vitest";
import { describeEachFirst } from "../support/large.ts";
import { readCorpus } from "./corpus.ts";
import { TARGETS } from "./targets/index.ts";

describeEachFirst(TARGETS.map((target) => [target.name, target] as const))(
  "the invariants of the fuzz target %s",
  (name, { arbitrary, open }) => {
    // `npm run fuzz` tries as many random inputs as there is time for, also on a service with grease.
    it("hold for every input that once broke one, and for a random one", async () => {
      const errors: unknown[] = [];
      const [random] = fc.sample(arbitrary, { numRuns: 1, seed: 1 });
      const inputs = [{ greaseSeed: null, input: random }, ...readCorpus(name)];
      for (const greaseSeed of new Set(inputs.map((each) => each.greaseSeed))) {
        const session = await open((error) => errors.push(error), greaseSeed);
        try {
          for (const each of inputs) if (each.greaseSeed === greaseSeed) await session.check(each.input);
        } finally {
          await session.close();
        }
      }
      expect(errors).toEqual([]);
    });
  },
);
