// The floor of snapshots: passes the rows of a sandbox's snapshot through JSON and sql.js, and prints the milliseconds of
// each round.
import { readFileSync } from "node:fs";
import { openBareStore } from "./bare-store.js";

/** @typedef {{ name: string, columns: string[], rows: import("sql.js").SqlValue[][] }} Table */

const [, , path = "", rounds = "1"] = process.argv;
const lines = readFileSync(path, "utf8").trimEnd().split("\n");
const database = await openBareStore();
database.exec("PRAGMA foreign_keys = OFF");

const samples = [];
for (let round = 0; round <= Number(rounds); round += 1) {
  const [parse, parts] = timeSync(() => lines.map((line) => JSON.parse(line)));
  const [stringify] = timeSync(() => parts.map((part) => JSON.stringify(part)));
  const tables = collectTables(parts);
  const [insert] = timeSync(() => runInTransaction(() => tables.forEach(insertRows)));
  const [select] = timeSync(() => tables.map(({ name }) => database.exec(`SELECT * FROM ${name}`)));
  const [remove] = timeSync(() =>
    runInTransaction(() => {
      for (const { name } of tables) database.exec(`DELETE FROM ${name}`);
    }),
  );
  if (round > 0) samples.push({ parse, stringify, insert, select, remove });
}
console.log(JSON.stringify(samples));

/**
 * @template T
 * @param {() => T} work
 * @returns {[ms: number, result: T]}
 */
function timeSync(work) {
  const start = performance.now();
  const result = work();
  return [performance.now() - start, result];
}

/** @param {() => void} work */
function runInTransaction(work) {
  database.exec("BEGIN");
  work();
  database.exec("COMMIT");
}

/**
 * The tables that have rows.
 * @param {{ table?: string, columns?: string[], rows?: unknown[][] }[]} parts
 */
function collectTables(parts) {
  const tables = /** @type {Table[]} */ ([]);
  for (const { table, columns, rows } of parts) {
    if (table && columns) tables.push({ name: table, columns, rows: [] });
    else if (rows) for (const row of rows) tables.at(-1)?.rows.push(row.map(decodeCell));
  }
  return tables.filter(({ rows }) => rows.length > 0);
}

/**
 * @param {any} cell
 * @returns {import("sql.js").SqlValue}
 */
function decodeCell(cell) {
  return cell?.base64 === undefined ? cell : Buffer.from(cell.base64, "base64");
}

/** @param {Table} table */
function insertRows({ name, columns, rows }) {
  const insert = database.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of rows) insert.run(row);
  insert.free();
}
