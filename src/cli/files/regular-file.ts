import { readFile, stat } from "node:fs/promises";
import { type JsonCheck, parseJsonAs } from "../../domain/shape.ts";
import { recover } from "./file-errors.ts";

/** Reads a file of this program; null if it does not exist. */
export async function readRegularFile(path: string): Promise<string | null> {
  await refuseSpecialFile(path);
  return recover(readFile(path, "utf8"), null, "ENOENT");
}

/** The same for JSON. @param problem what to say of a file with anything else */
export async function readJsonFile<T>(path: string, shape: JsonCheck, problem: string): Promise<T | null> {
  const text = await readRegularFile(path);
  const value = text === null ? null : parseJsonAs<T>(text, shape);
  if (text !== null && value === null) throw new Error(problem);
  return value;
}

/** Opening a pipe blocks until another process opens its other end, and reading a device may never end. */
export async function refuseSpecialFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile() && !found.isDirectory())
    throw new Error("it is a pipe or a device, not a file");
}
