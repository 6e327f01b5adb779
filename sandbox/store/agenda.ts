import type { Store } from "./open.ts";

/** Something that waits: at `dueAt` (milliseconds), `kind` happens to `subject`. */
export interface ScheduledTask {
  readonly seq: number;
  readonly dueAt: number;
  readonly kind: string;
  readonly subject: string;
}

/** `seq` null: behind all the others. A number: the place of the row that this one follows. */
export type NewScheduledTask = Omit<ScheduledTask, "seq"> & { readonly seq: number | null };

export function addTask(store: Store, task: NewScheduledTask): void {
  store.run("INSERT INTO agenda (seq, due_at, kind, subject) VALUES (?, ?, ?, ?)", [
    task.seq,
    task.dueAt,
    task.kind,
    task.subject,
  ]);
}

export function removeTask(store: Store, seq: number): void {
  store.run("DELETE FROM agenda WHERE seq = ?", [seq]);
}

/** The first `most` rows of what is due by then, in order; they wait no longer. */
export function takeDueTasks(store: Store, by: number, limit: number): ScheduledTask[] {
  const rows = store.all(
    `DELETE FROM agenda
     WHERE seq IN (SELECT seq FROM agenda WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?)
     RETURNING seq, due_at, kind, subject`,
    [by, limit],
  );
  return rows
    .map((row) => toTask(row as Columns))
    .sort((one, other) => one.dueAt - other.dueAt || one.seq - other.seq);
}

/** What of this kind waits for the subject will not happen. */
export function removeTasksFor(store: Store, kind: string, subject: string): void {
  store.run("DELETE FROM agenda WHERE kind = ? AND subject = ?", [kind, subject]);
}

const ALL_IN_ORDER = "SELECT seq, due_at, kind, subject FROM agenda ORDER BY due_at, seq";

export function findFirstTask(store: Store): ScheduledTask | undefined {
  const row = store.get(`${ALL_IN_ORDER} LIMIT 1`);
  return row && toTask(row as Columns);
}

/** The first of those that have this seq at the most. */
export function findFirstTaskUpTo(store: Store, seq: number): ScheduledTask | undefined {
  const row = store.get(
    "SELECT seq, due_at, kind, subject FROM agenda WHERE seq <= ? ORDER BY due_at, seq LIMIT 1",
    [seq],
  );
  return row && toTask(row as Columns);
}

/** The seq that was given out last; 0 before the first one. */
export function readLastTaskSeq(store: Store): number {
  const [seq] = store.get("SELECT seq FROM bulk.sqlite_sequence WHERE name = 'agenda'") ?? [];
  return Number(seq ?? 0);
}

export function listTasks(store: Store): ScheduledTask[] {
  return store.all(ALL_IN_ORDER).map((row) => toTask(row as Columns));
}

type Columns = [number, number, string, string];

const toTask = ([seq, dueAt, kind, subject]: Columns): ScheduledTask => ({ seq, dueAt, kind, subject });
