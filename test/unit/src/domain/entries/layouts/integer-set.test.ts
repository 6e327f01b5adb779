import fc from "fast-check";
import { expect, test } from "vitest";
import { IntegerSet } from "../../../../../../src/domain/entries/layouts/integer-set.ts";

test("IntegerSet behaves like Set for dense and sparse numbers", () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 466_559_999_999 }));
  fc.assert(
    fc.property(fc.array(number, { maxLength: 3_000 }), (numbers) => {
      const seen = new IntegerSet();
      const model = new Set<number>();
      const wrong = numbers.filter((each) => {
        const isNew = !model.has(each);
        model.add(each);
        return seen.add(each) !== isNew;
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test.each([1, 7, 8, 4096, 10_000_000])("IntegerSet contains 30,000 numbers in steps of %d", (step) => {
  const seen = new IntegerSet();
  const numbers = Array.from({ length: 30_000 }, (_, at) => at * step);
  expect(numbers.filter((each) => !seen.add(each))).toEqual([]);
  expect(numbers.filter((each) => seen.add(each))).toEqual([]);
});
