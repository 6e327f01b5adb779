import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const AGENDA = new sql.SqlTable("agenda", {
  seq: sql.integer,
  dueAt: sql.integer,
  kind: sql.text,
  subject: sql.text,
});

/** At `dueAt` (milliseconds), `kind` happens to `subject`. */
export type ScheduledTask = sql.RowOf<typeof AGENDA>;

/** `seq` is null for a new task at the end, or the number of the task that this one follows. */
export type NewScheduledTask = Omit<ScheduledTask, "seq"> & { readonly seq: number | null };

export const addTask = (store: Store, { seq, ...task }: NewScheduledTask): void =>
  AGENDA.insert(store, seq === null ? task : { seq, ...task });

export function removeTask(store: Store, seq: number): void {
  store.run("DELETE FROM agenda WHERE seq = ?", [seq]);
}

/** Removes the first `limit` tasks that are due by then, and returns them in order. */
export function takeDueTasks(store: Store, by: number, limit: number): ScheduledTask[] {
  const tasks = AGENDA.select(store, "WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?", [by, limit]);
  store.run(
    "DELETE FROM agenda WHERE seq IN (SELECT seq FROM agenda WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?)",
    [by, limit],
  );
  return tasks;
}

export function removeTasksFor(store: Store, kind: string, subject: string): void {
  store.run("DELETE FROM agenda WHERE kind = ? AND subject = ?", [kind, subject]);
}

export const findFirstTask = (store: Store): ScheduledTask | undefined =>
  findFirstTaskUpTo(store, Number.MAX_SAFE_INTEGER);

/** The first task to run of those with this seq or a lower one. */
export const findFirstTaskUpTo = (store: Store, seq: number): ScheduledTask | undefined =>
  AGENDA.select(store, "WHERE seq <= ? ORDER BY due_at, seq LIMIT 1", [seq])[0];

/** The highest seq that a task ever had; 0 before the first task. */
export function readLastTaskSeq(store: Store): number {
  const [seq] = store.get("SELECT seq FROM bulk.sqlite_sequence WHERE name = 'agenda'") ?? [];
  return Number(seq ?? 0);
}

export const listTasks = (store: Store): ScheduledTask[] => AGENDA.select(store, "ORDER BY due_at, seq");
