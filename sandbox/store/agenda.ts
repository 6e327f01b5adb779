import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type RowOf } from "./table.ts";

/** Tasks in the order (due time, seq). A follow-up task keeps the seq of the one before, so SQLite must not reuse a seq. */
export const AGENDA = defineTable(
  "bulk.agenda",
  {
    seq: { ...sql.seq, declaration: "INTEGER PRIMARY KEY AUTOINCREMENT" },
    dueAt: sql.time,
    kind: sql.text,
    subject: sql.text,
  },
  { indexes: [["dueAt", "seq"], ["subject"]] },
);

export type ScheduledTask = RowOf<typeof AGENDA>;

/** SQLite creates it with the first table whose rows it numbers like that. */
export const SEQUENCES = defineTable(
  "bulk.sqlite_sequence",
  { name: sql.text, seq: sql.integer },
  { key: ["name"] },
);

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

/** Moves all tasks, and the times of the attempts that deliveries show. */
export function moveTasks(store: Store, milliseconds: number): void {
  store.run("UPDATE agenda SET due_at = due_at + ?", [milliseconds]);
  store.run("UPDATE delivery SET next_attempt_at = next_attempt_at + ?", [milliseconds]);
}

export function removeTasksFor(store: Store, kind: string, subject: string): void {
  store.run("DELETE FROM agenda WHERE kind = ? AND subject = ?", [kind, subject]);
}

/** The first task to run of those with this seq or a lower one. */
export const findFirstTask = (store: Store, maxSeq = Number.MAX_SAFE_INTEGER): ScheduledTask | undefined =>
  AGENDA.select(store, "WHERE seq <= ? ORDER BY due_at, seq LIMIT 1", [maxSeq])[0];

/** The highest seq that a task ever had; 0 before the first task. */
export const readLastTaskSeq = (store: Store): number => SEQUENCES.find(store, { name: "agenda" })?.seq ?? 0;

export const listNextTasks = (store: Store, limit: number): ScheduledTask[] =>
  AGENDA.select(store, "ORDER BY due_at, seq LIMIT ?", [limit]);

export const listTasksFor = (store: Store, subject: string): ScheduledTask[] =>
  AGENDA.select(store, "WHERE subject = ? ORDER BY due_at, seq", [subject]);

export const listTasks = (store: Store): ScheduledTask[] => AGENDA.select(store, "ORDER BY due_at, seq");
