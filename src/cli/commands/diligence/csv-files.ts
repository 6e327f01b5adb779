import { readdir } from "node:fs/promises";

/** The names of the CSV files of a folder, sorted. Hidden files are left out. */
export const listCsvFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /\.csv$/i.test(name) && !name.startsWith(".")).sort();
