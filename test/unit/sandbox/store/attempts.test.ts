import { expect, it } from "vitest";
import { createExcerptLimit } from "../../../../sandbox/store/attempts.ts";
import { openStore } from "../../../../sandbox/store/open.ts";

const MIB = 1024 * 1024;

it("the response excerpts of earlier attempts are dropped when all together have more than 32 MiB", async () => {
  const store = await openStore();
  store.run("PRAGMA foreign_keys = OFF");
  const columns = "delivery, number, trigger, at, duration_ms, headers, response_excerpt";
  const addAttempt = (number: number) =>
    store.run(`INSERT INTO attempt (${columns}) VALUES (1, ?, 'schedule', 0, 0, '[]', zeroblob(?))`, [
      number,
      MIB,
    ]);
  const countKept = () => store.get("SELECT COUNT(*) FROM attempt WHERE response_excerpt IS NOT NULL")?.[0];
  addAttempt(1);
  const { makeRoom } = createExcerptLimit(store);
  for (let number = 2; number <= 32; number += 1) {
    makeRoom(MIB);
    addAttempt(number);
  }
  expect(countKept()).toBe(32);
  makeRoom(MIB);
  addAttempt(33);
  expect(countKept()).toBe(1);
  store.close();
});
