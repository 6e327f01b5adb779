import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";

/** A request that somebody be notified; times in milliseconds. */
export interface NewNotification {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly message: string;
  /** The id of the diligence job that it is about. */
  readonly job: string | null;
  readonly createdAt: number;
}

export function addNotification(
  store: Store,
  { partner, environment }: Caller,
  notification: NewNotification,
): void {
  store.run(
    `INSERT INTO notification (partner, environment, id, recipient, subject, message, job, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      partner,
      environment,
      notification.id,
      notification.recipient,
      notification.subject,
      notification.message,
      notification.job,
      notification.createdAt,
    ],
  );
}
