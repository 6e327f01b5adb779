import fc from "fast-check";
import { expect, test } from "vitest";
import { IntegerMap } from "../../../../../../src/domain/entries/layouts/integer-map.ts";

test("IntegerMap behaves like a Map that keeps the first value of dense and sparse numbers", () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 466_559_999_999 }));
  fc.assert(
    fc.property(fc.array(number, { maxLength: 3_000 }), (numbers) => {
      const map = new IntegerMap();
      const model = new Map<number, number>();
      const wrong = numbers.filter((each, at) => {
        const first = model.get(each) ?? null;
        if (first === null) model.set(each, at + 2);
        return map.insertIfAbsent(each, at + 2) !== first;
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 20 },
  );
});
