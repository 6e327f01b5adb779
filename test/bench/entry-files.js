// Big entry files out of the fixtures' rows: every number new and valid, and enough else varied that a cache of cells
// has no easier life than with a real importer's file.
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { entryNumber } from "./entry-number.js";
import { fixture } from "./processes.js";

const DIVISIONS = 2_000;
const DAY_SHIFTS = 28;
const CENTS = 5_000;
const BATCH_ROWS = 2_000;
const DAY_MS = 86_400_000;

/**
 * One row an entry.
 * @param {string} path
 * @param {number} rows
 */
export async function writeEntryFile(path, rows) {
  const { header, column, samples } = readFixture("sample_entries.csv");
  const dates = ["entry_date", "entry_summary_date", "liquidation_date"].map(column);
  const name = column("importer_name");
  const value = column("entered_value");
  const duty = column("ieepa_duty_paid");
  // The total stays the sum of its parts: what the duty gains, it gains too.
  const amounts = [value, duty, column("total_paid")];
  await write(path, header, rows, (row) => {
    const cells = [...(samples[row % samples.length] ?? [])];
    const number = entryNumber(row);
    cells[0] = `${number.slice(0, 3)}-${number.slice(3, 10)}-${number.slice(10)}`;
    vary(cells, dates, (cell) => earlier(cell, row));
    vary(cells, [name], (cell) => division(cell, row));
    vary(cells, isNothing(cells[duty]) ? [value] : amounts, (cell) => dearer(cell, row));
    return cells.join(",");
  });
}

/**
 * One row a tariff line; an entry has several, and they agree in what is the entry's own.
 * @param {string} path
 * @param {number} rows
 */
export async function writeEs003File(path, rows) {
  const { header, column, samples } = readFixture("sample_es003.csv");
  const dates = ["Entry Date", "Entry Summary Date", "Liquidation Date"].map(column);
  const name = column("Importer Name");
  const amounts = ["Line Tariff Goods Value Amount", "Line Tariff Duty Amount"].map(column);
  let entry = -1;
  let before = "";
  await write(path, header, rows, (row) => {
    const cells = [...(samples[row % samples.length] ?? [])];
    if (cells[0] !== before) entry += 1;
    before = cells[0] ?? "";
    cells[0] = entryNumber(entry);
    vary(cells, dates, (cell) => earlier(cell, entry));
    vary(cells, [name], (cell) => division(cell, entry));
    vary(cells, amounts, (cell) => dearer(cell, row));
    return cells.join(",");
  });
}

/**
 * A file that is refused at its first row: received and looked through as a whole, but nothing of it is kept.
 * @param {string} path
 * @param {number} rows
 */
export async function writeFaultyFile(path, rows) {
  const { header, samples } = readFixture("sample_entries.csv");
  await write(path, header, rows, (row) =>
    row === 0 ? "a row of one cell" : (samples[row % samples.length] ?? []).join(","),
  );
}

/** @param {string} name */
function readFixture(name) {
  const text = readFileSync(fixture(name), "utf8").replace(/^\ufeff/, "");
  const [header = "", ...rows] = text.trimEnd().split(/\r?\n/);
  const columns = header.split(",");
  const column = (/** @type {string} */ wanted) => {
    const at = columns.indexOf(wanted);
    if (at === -1) throw new Error(`${name} has no column ${wanted}`);
    return at;
  };
  // Cells keep their quotes; no fixture row used here holds a line break or a doubled quote.
  const samples = rows.map((row) => row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  return { header, column, samples };
}

/**
 * @param {string} path
 * @param {string} header
 * @param {number} rows
 * @param {(row: number) => string} line
 */
async function write(path, header, rows, line) {
  const file = createWriteStream(path);
  file.write(`${header}\n`);
  for (let row = 0; row < rows; ) {
    const batch = [];
    for (const end = Math.min(rows, row + BATCH_ROWS); row < end; row += 1) batch.push(line(row));
    if (!file.write(`${batch.join("\n")}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

/**
 * A blank cell stays blank.
 * @param {string[]} cells
 * @param {readonly number[]} columns
 * @param {(cell: string) => string} change
 */
function vary(cells, columns, change) {
  for (const at of columns) {
    const cell = cells[at];
    if (cell) cells[at] = change(cell);
  }
}

/**
 * Some days earlier, in the way the cell writes its date.
 * @param {string} cell
 * @param {number} index
 */
function earlier(cell, index) {
  const day = new Date(Date.parse(`${cell} UTC`) - (index % DAY_SHIFTS) * DAY_MS).toISOString().slice(0, 10);
  return cell.includes("/") ? `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}` : day;
}

/**
 * @param {string} cell
 * @param {number} index
 */
function division(cell, index) {
  const name = `${cell.replaceAll('"', "")} - Division ${index % DIVISIONS}`;
  return cell.startsWith('"') ? `"${name}"` : name;
}

/**
 * A few cents more, unless it is nothing.
 * @param {string} cell
 * @param {number} index
 */
function dearer(cell, index) {
  const cents = centsOf(cell);
  if (cents === 0) return cell;
  const amount = ((cents + (index % CENTS)) / 100).toFixed(2);
  if (!cell.includes("$")) return amount;
  const formatted = `$${amount.replace(/\B(?=(\d{3})+\.)/g, ",")}`;
  return formatted.includes(",") ? `"${formatted}"` : formatted;
}

/** @param {string} cell */
const centsOf = (cell) => Math.round(Number(cell.replace(/["$,]/g, "")) * 100);

/** @param {string | undefined} cell */
const isNothing = (cell) => cell === undefined || centsOf(cell) === 0;
