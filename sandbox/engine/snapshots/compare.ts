import { Buffer } from "node:buffer";
import type { SnapshotChange, SnapshotDiff } from "../../api/snapshots.ts";
import type { SqlValue } from "../../store/open.ts";
import type { TableContent } from "../../store/table-content.ts";
import { formatTime } from "../scheduler/clock.ts";
import type { Snapshot } from "./snapshot.ts";

/** Only these columns show their values: others may contain a secret. */
const PRINTED_COLUMNS = ["state", "status"];

type Row = readonly SqlValue[];

export function compareSnapshots(from: Snapshot, to: Snapshot): SnapshotDiff {
  const before = new Map(from.tables.map((table) => [table.name, table]));
  return {
    clock: { from: formatTime(from.takenAt), to: formatTime(to.takenAt) },
    changes: to.tables
      // SQLite's own table of sequences shows nothing of the service.
      .filter(({ name }) => !name.includes("sqlite_"))
      .flatMap((table) => [...compareTables(before.get(table.name)?.rows ?? [], table)]),
  };
}

function* compareTables(before: readonly Row[], table: TableContent): Generator<SnapshotChange> {
  const { name, columns, rows } = table;
  const kind = name.slice(name.indexOf(".") + 1);
  const keyAt = table.key.map((column) => columns.indexOf(column));
  const idAt = columns.indexOf("id");
  const keyOf = (row: Row) => keyAt.map((at) => row[at]).join("/");
  const idOf = (row: Row) => (idAt === -1 ? keyOf(row) : String(row[idAt]));
  const removed = new Map(before.map((row) => [keyOf(row), row]));
  for (const row of rows) {
    const key = keyOf(row);
    const old = removed.get(key);
    removed.delete(key);
    if (!old) yield { kind, id: idOf(row), change: "added", fields: [] };
    else {
      const fields = columns.flatMap((column, index) =>
        isEqual(old[index], row[index]) ? [] : [toChangedField(column, old[index], row[index])],
      );
      if (fields.length > 0) yield { kind, id: idOf(row), change: "changed", fields };
    }
  }
  for (const row of removed.values()) yield { kind, id: idOf(row), change: "removed", fields: [] };
}

const toChangedField = (column: string, from: SqlValue | undefined, to: SqlValue | undefined) => ({
  name: column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ...(PRINTED_COLUMNS.includes(column) && { from: String(from), to: String(to) }),
});

const isEqual = (one: SqlValue | undefined, other: SqlValue | undefined): boolean =>
  ArrayBuffer.isView(one) && ArrayBuffer.isView(other) ? Buffer.compare(one, other) === 0 : one === other;
