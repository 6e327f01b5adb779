import { expect, it, onTestFinished } from "vitest";
import { type AttemptRow, addAttempt, createExcerptLimit } from "../../../../sandbox/store/attempts.ts";
import { DELIVERIES } from "../../../../sandbox/store/deliveries.ts";
import { addEvent } from "../../../../sandbox/store/events.ts";
import { openStore } from "../../../../sandbox/store/open.ts";

const MIB = 1024 * 1024;

const ATTEMPT: Omit<AttemptRow, "number" | "responseExcerpt"> = {
  trigger: "schedule",
  at: 0,
  durationMs: 1,
  headers: [],
  responseStatus: 200,
  responseHeaders: [],
  error: null,
};

async function createStore() {
  const store = await openStore();
  onTestFinished(() => store.close());
  const event = {
    id: "event",
    partner: 1,
    type: "partner.test",
    environment: "sandbox",
    createdAt: 0,
  } as const;
  const seq = addEvent(store, { ...event, body: Buffer.from("{}") });
  const limit = createExcerptLimit(store);
  return {
    store,
    limit,
    addDelivery: (delivery: number) =>
      DELIVERIES.insert(store, {
        ...{ seq: delivery, id: `delivery ${delivery}`, event: seq, partner: 1, endpoint: 1 },
        ...{ endpointId: "endpoint", eventId: "event", eventType: "partner.test" },
        ...{ environment: "sandbox", createdAt: 0 },
      }),
    addAttempt(delivery: number, number: number, bytes: number, counting = limit) {
      addAttempt(store, delivery, { ...ATTEMPT, number, responseExcerpt: Buffer.alloc(bytes, "x") });
      counting.count(delivery, bytes);
    },
    kept: (): string[] =>
      store
        .all("SELECT delivery, number FROM attempt WHERE response_excerpt IS NOT NULL ORDER BY 1, 2")
        .map(([delivery, number]) => `${delivery}.${number}`),
    keptBytes: () => Number(store.get("SELECT TOTAL(length(response_excerpt)) FROM attempt")?.[0]),
  };
}

it("excerpts of the oldest deliveries are dropped beyond 32 MiB, half of it at once", async () => {
  const { addDelivery, addAttempt, kept, keptBytes } = await createStore();
  for (let delivery = 1; delivery <= 4; delivery += 1) {
    addDelivery(delivery);
    for (let number = 1; number <= 8; number += 1) addAttempt(delivery, number, MIB);
  }
  expect(keptBytes()).toBe(32 * MIB);
  addAttempt(4, 9, 1);
  expect(kept()).toEqual([
    ...[2, 3, 4, 5, 6, 7, 8].map((number) => `3.${number}`),
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `4.${number}`),
  ]);
});

it("an attempt of an old delivery counts too, and its excerpt is dropped first", async () => {
  const { addDelivery, addAttempt, kept, keptBytes } = await createStore();
  for (let delivery = 1; delivery <= 3; delivery += 1) addDelivery(delivery);
  for (let number = 1; number <= 33; number += 1) addAttempt(2, number, MIB);
  expect(keptBytes()).toBe(16 * MIB);
  addAttempt(1, 1, MIB);
  for (let number = 1; number <= 16; number += 1) addAttempt(3, number, MIB);
  expect(kept()).toEqual(Array.from({ length: 16 }, (_, at) => `3.${at + 1}`));
});

it("a new limit counts the excerpts that are there already", async () => {
  const { store, addDelivery, addAttempt, keptBytes } = await createStore();
  addDelivery(1);
  for (let number = 1; number <= 32; number += 1) addAttempt(1, number, MIB);
  addAttempt(1, 33, MIB, createExcerptLimit(store));
  expect(keptBytes()).toBe(16 * MIB);
});
