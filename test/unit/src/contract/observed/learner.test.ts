import { describe, expect, it } from "vitest";
import { createLearner } from "../../../../../src/contract/observed/learner.ts";

/** Returns whether the payload can be read. */
function learn(body: string): boolean {
  const learner = createLearner();
  const isRead = learner.addDelivery([], body, 0);
  learner.finish("0".repeat(64));
  return isRead;
}

describe("learner.addDelivery", () => {
  it.each([
    ["objects", '{"a":', "}"],
    ["arrays", '{"data":{"id":[', "]}}"],
  ])("leaves out a payload of %s that is nested too deeply", (_, open, close) => {
    const body = `${open.repeat(50_000)}1${close.repeat(50_000)}`;
    expect(learn(body)).toBe(false);
  });

  it("reads the order of a list once for each time, not for each name", { tags: "large" }, () => {
    const names = Array.from({ length: 30_000 }, (_, at) => [`f${at}`, "2026-11-23T00:00:00Z"]);
    const items = [Object.fromEntries(names), ...names.map(() => ({}))];
    expect(learn(JSON.stringify({ items }))).toBe(true);
  });

  it("takes a payload of as many fields as its sender likes", { tags: "large" }, () => {
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`f${at}`, at])),
    );
    expect(learn(body)).toBe(true);
  });
});
