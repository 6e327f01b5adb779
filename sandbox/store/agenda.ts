import type { Store } from "./open.ts";

/** Something that waits: at `dueAt` (milliseconds), `kind` happens to `subject`. */
export interface AgendaRow {
  readonly seq: number;
  readonly dueAt: number;
  readonly kind: string;
  readonly subject: string;
}

export function addAgendaRow(store: Store, row: Omit<AgendaRow, "seq">): void {
  store.run("INSERT INTO agenda (due_at, kind, subject) VALUES (?, ?, ?)", [
    row.dueAt,
    row.kind,
    row.subject,
  ]);
}

export function removeAgendaRow(store: Store, seq: number): void {
  store.run("DELETE FROM agenda WHERE seq = ?", [seq]);
}

const COLUMNS = "SELECT seq, due_at, kind, subject FROM agenda ORDER BY due_at, seq";

export function firstAgendaRow(store: Store): AgendaRow | undefined {
  const row = store.get(`${COLUMNS} LIMIT 1`);
  return row && read(row as Columns);
}

export function allAgendaRows(store: Store): AgendaRow[] {
  return store.all(COLUMNS).map((row) => read(row as Columns));
}

type Columns = [number, number, string, string];

const read = ([seq, dueAt, kind, subject]: Columns): AgendaRow => ({ seq, dueAt, kind, subject });
