import type { Environment } from "./credentials.ts";
import type { Store } from "./open.ts";
import { integer, plain, type RowOf, SqlTable, text } from "./sql-table.ts";

const EVENTS = new SqlTable("event", {
  seq: integer,
  id: text,
  partner: integer,
  type: text,
  environment: plain<Environment>(),
  /** The bytes that every attempt sends. */
  body: plain<Uint8Array>(),
  createdAt: integer,
});

const BODIES = EVENTS.only("seq", "body");

/** Adds an event and returns its seq. */
export function addEvent(store: Store, event: Omit<RowOf<typeof EVENTS>, "seq">): number {
  EVENTS.insert(store, event);
  return store.get("SELECT last_insert_rowid()")?.[0] as number;
}

export const readEventBody = (store: Store, seq: number): Uint8Array => BODIES.get(store, { seq }).body;
