import type { Environment } from "./credentials.ts";
import type { Store } from "./open.ts";

export interface NewEvent {
  readonly id: string;
  readonly partner: number;
  readonly type: string;
  readonly environment: Environment;
  /** Fixed once, and sent by every attempt. */
  readonly body: Uint8Array;
  readonly createdAt: number;
}

/** Adds an event and answers its seq. */
export function addEvent(store: Store, event: NewEvent): number {
  const row = store.get(
    "INSERT INTO event (id, partner, type, environment, body, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq",
    [event.id, event.partner, event.type, event.environment, event.body, event.createdAt],
  );
  return row?.[0] as number;
}

export function readEventBody(store: Store, seq: number): Uint8Array {
  const row = store.get("SELECT body FROM event WHERE seq = ?", [seq]);
  if (!row) throw new Error(`event ${seq} is not in the store`);
  return row[0] as Uint8Array;
}
