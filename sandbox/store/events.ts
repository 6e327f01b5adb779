import type { Environment } from "../../src/domain/environments.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type NewRowOf } from "./table.ts";

export const EVENTS = defineTable("bulk.event", {
  seq: sql.seq,
  id: sql.id,
  partner: sql.integer,
  type: sql.text,
  environment: sql.textOf<Environment>(),
  body: sql.blob,
  createdAt: sql.time,
});

const BODIES = EVENTS.only("seq", "body");

export function addEvent(store: Store, event: NewRowOf<typeof EVENTS>): number {
  EVENTS.insert(store, event);
  return store.get("SELECT last_insert_rowid()")?.[0] as number;
}

export const readEventBody = (store: Store, seq: number): Uint8Array => BODIES.get(store, { seq }).body;
