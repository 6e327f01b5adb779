import { describe, expect, it } from "vitest";
import { openStore } from "../../../../sandbox/store/open.ts";

describe("a transaction", () => {
  it("throws the error that made SQLite roll back by itself", async () => {
    const store = await openStore();
    const cause = new Error("out of memory");
    const work = () => {
      store.run("ROLLBACK");
      throw cause;
    };
    expect(() => store.transaction(work)).toThrow(cause);
    expect(store.transaction(() => 1)).toBe(1);
    store.close();
  });
});

it("finds expired responses by an index", async () => {
  const store = await openStore();
  const plan = store.all("EXPLAIN QUERY PLAN DELETE FROM stored_response WHERE expires_at <= 0");
  expect(JSON.stringify(plan)).toContain("USING INDEX");
  store.close();
});
