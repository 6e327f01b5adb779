import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const NOTIFICATIONS = new sql.SqlTable("notification", {
  ...sql.owner,
  id: sql.text,
  recipient: sql.text,
  subject: sql.text,
  message: sql.text,
  /** The id of a diligence job. */
  job: sql.optionalText,
  createdAt: sql.integer,
});

type NewNotification = Omit<sql.RowOf<typeof NOTIFICATIONS>, keyof Caller>;

export const addNotification = (store: Store, caller: Caller, notification: NewNotification): void =>
  NOTIFICATIONS.insert(store, { ...notification, ...sql.ownerOf(caller) });
