// Big entry files, as `claims sandbox csv` writes them: every number new and valid, and enough else varied that a cache
// of cells has no easier life than with a real importer's file.
import { claims } from "./processes.js";

/**
 * @param {string} path
 * @param {{ scenario: "mixed" | "row-width", rows: number, layout: "entry" | "es003" }} file
 */
export async function writeEntryFile(path, { scenario, rows, layout }) {
  const options = ["--scenario", scenario, "--rows", String(rows), "--layout", layout, "--out", path];
  await claims(["sandbox", "csv", ...options]);
}
