// Large entry files of `claims sandbox csv`. Their entry numbers are unique and valid, and the other cells vary enough that
// a cache of cells works no better than with the file of a real importer.
import { claims } from "./processes.js";

/**
 * @param {string} path
 * @param {{ scenario: "mixed" | "row-width", rows: number, layout: "entry" | "es003" }} file
 */
export async function writeEntryFile(path, { scenario, rows, layout }) {
  const options = ["--scenario", scenario, "--rows", String(rows), "--layout", layout, "--out", path];
  await claims(["sandbox", "csv", ...options]);
}
