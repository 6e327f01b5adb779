import { describe, expect, it } from "vitest";
import { RULES } from "../../../../src/conformance/rules.ts";
import { SCENARIOS } from "../../../../src/conformance/scenarios.ts";
import { STATEMENTS } from "../../../../src/contract/statements.ts";

describe("the rules of conformance", () => {
  it("have unique ids of a group and a name", () => {
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+\.[A-Za-z_]+$/.test(id))).toEqual([]);
  });

  it("rest on a statement that has their basis", () => {
    const stated = { ...STATEMENTS.contract, ...STATEMENTS.client };
    const wrong = RULES.filter(({ basis, statement }) => {
      if (basis === "advice") return false;
      if (statement === null) return true;
      return basis === "documented"
        ? !Object.hasOwn(stated, statement)
        : Object.hasOwn(STATEMENTS.client, statement);
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it("need every scenario", () => {
    const needed = new Set(RULES.flatMap(({ scenarios }) => (scenarios === "any" ? [] : scenarios)));
    expect(Object.keys(SCENARIOS).filter((id) => !needed.has(id as keyof typeof SCENARIOS))).toEqual([]);
  });
});
