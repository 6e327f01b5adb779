// The floor of snapshots: the same rows through JSON and sql.js with nothing around it, milliseconds of each round. They
// come from a snapshot that the sandbox has written.
import { readFileSync } from "node:fs";
import { bareStore } from "./bare-store.js";

/** @typedef {{ name: string, columns: string[], rows: import("sql.js").SqlValue[][] }} Table */

const [, , path = "", rounds = "1"] = process.argv;
const lines = readFileSync(path, "utf8").trimEnd().split("\n");
const database = await bareStore();
database.exec("PRAGMA foreign_keys = OFF");

const taken = [];
for (let round = 0; round <= Number(rounds); round += 1) {
  const [parse, parts] = timed(() => lines.map((line) => JSON.parse(line)));
  const [stringify] = timed(() => parts.map((part) => JSON.stringify(part)));
  const tables = tablesOf(parts);
  const [insert] = timed(() => inTransaction(() => tables.forEach(fill)));
  const [select] = timed(() => tables.map(({ name }) => database.exec(`SELECT * FROM ${name}`)));
  const [remove] = timed(() =>
    inTransaction(() => {
      for (const { name } of tables) database.exec(`DELETE FROM ${name}`);
    }),
  );
  if (round > 0) taken.push({ parse, stringify, insert, select, remove });
}
console.log(JSON.stringify(taken));

/**
 * @template T
 * @param {() => T} work
 * @returns {[ms: number, result: T]}
 */
function timed(work) {
  const begun = performance.now();
  const result = work();
  return [performance.now() - begun, result];
}

/** @param {() => void} work */
function inTransaction(work) {
  database.exec("BEGIN");
  work();
  database.exec("COMMIT");
}

/**
 * Those with rows.
 * @param {{ table?: string, columns?: string[], rows?: unknown[][] }[]} parts
 */
function tablesOf(parts) {
  const tables = /** @type {Table[]} */ ([]);
  for (const { table, columns, rows } of parts) {
    if (table && columns) tables.push({ name: table, columns, rows: [] });
    else if (rows) for (const row of rows) tables.at(-1)?.rows.push(row.map(cellOf));
  }
  return tables.filter(({ rows }) => rows.length > 0);
}

/**
 * @param {any} cell
 * @returns {import("sql.js").SqlValue}
 */
function cellOf(cell) {
  return cell?.base64 === undefined ? cell : Buffer.from(cell.base64, "base64");
}

/** @param {Table} table */
function fill({ name, columns, rows }) {
  const insert = database.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of rows) insert.run(row);
  insert.free();
}
