import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import { integer, optionalText, owner, ownerOf, type RowOf, SqlTable, text } from "./sql-table.ts";

const NOTIFICATIONS = new SqlTable("notification", {
  ...owner,
  id: text,
  recipient: text,
  subject: text,
  message: text,
  /** The id of a diligence job. */
  job: optionalText,
  createdAt: integer,
});

type NewNotification = Omit<RowOf<typeof NOTIFICATIONS>, keyof Caller>;

export const addNotification = (store: Store, caller: Caller, notification: NewNotification): void =>
  NOTIFICATIONS.insert(store, { ...notification, ...ownerOf(caller) });
