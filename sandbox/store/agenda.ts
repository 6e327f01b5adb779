import type { Store } from "./open.ts";

/** Something that waits: at `dueAt` (milliseconds), `kind` happens to `subject`. */
export interface AgendaRow {
  readonly seq: number;
  readonly dueAt: number;
  readonly kind: string;
  readonly subject: string;
}

/** `seq` null: behind all the others. A number: the place of the row that this one follows. */
export type NewAgendaRow = Omit<AgendaRow, "seq"> & { readonly seq: number | null };

export function addAgendaRow(store: Store, row: NewAgendaRow): void {
  store.run("INSERT INTO agenda (seq, due_at, kind, subject) VALUES (?, ?, ?, ?)", [
    row.seq,
    row.dueAt,
    row.kind,
    row.subject,
  ]);
}

export function removeAgendaRow(store: Store, seq: number): void {
  store.run("DELETE FROM agenda WHERE seq = ?", [seq]);
}

/** The first `most` rows of what is due by then, in order; they wait no longer. */
export function takeDueRows(store: Store, by: number, most: number): AgendaRow[] {
  const rows = store.all(
    `DELETE FROM agenda
     WHERE seq IN (SELECT seq FROM agenda WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?)
     RETURNING seq, due_at, kind, subject`,
    [by, most],
  );
  return rows
    .map((row) => read(row as Columns))
    .sort((one, other) => one.dueAt - other.dueAt || one.seq - other.seq);
}

/** What of this kind waits for the subject will not happen. */
export function removeAgendaRows(store: Store, kind: string, subject: string): void {
  store.run("DELETE FROM agenda WHERE kind = ? AND subject = ?", [kind, subject]);
}

const ALL_IN_ORDER = "SELECT seq, due_at, kind, subject FROM agenda ORDER BY due_at, seq";

export function firstAgendaRow(store: Store): AgendaRow | undefined {
  const row = store.get(`${ALL_IN_ORDER} LIMIT 1`);
  return row && read(row as Columns);
}

/** The first of those that have this seq at the most. */
export function firstAgendaRowUpTo(store: Store, seq: number): AgendaRow | undefined {
  const row = store.get(
    "SELECT seq, due_at, kind, subject FROM agenda WHERE seq <= ? ORDER BY due_at, seq LIMIT 1",
    [seq],
  );
  return row && read(row as Columns);
}

/** The seq that was given out last; 0 before the first one. */
export function lastAgendaSeq(store: Store): number {
  const [seq] = store.get("SELECT seq FROM bulk.sqlite_sequence WHERE name = 'agenda'") ?? [];
  return Number(seq ?? 0);
}

export function allAgendaRows(store: Store): AgendaRow[] {
  return store.all(ALL_IN_ORDER).map((row) => read(row as Columns));
}

type Columns = [number, number, string, string];

const read = ([seq, dueAt, kind, subject]: Columns): AgendaRow => ({ seq, dueAt, kind, subject });
