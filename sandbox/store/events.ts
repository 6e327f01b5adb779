import type { Environment } from "../../src/domain/environments.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const EVENTS = new sql.SqlTable("event", {
  seq: sql.integer,
  id: sql.text,
  partner: sql.integer,
  type: sql.text,
  environment: sql.plain<Environment>(),
  /** The bytes that every attempt sends. */
  body: sql.plain<Uint8Array>(),
  createdAt: sql.integer,
});

const BODIES = EVENTS.only("seq", "body");

/** Adds an event and returns its seq. */
export function addEvent(store: Store, event: Omit<sql.RowOf<typeof EVENTS>, "seq">): number {
  EVENTS.insert(store, event);
  return store.get("SELECT last_insert_rowid()")?.[0] as number;
}

export const readEventBody = (store: Store, seq: number): Uint8Array => BODIES.get(store, { seq }).body;
