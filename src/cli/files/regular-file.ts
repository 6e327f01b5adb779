import { readFile, stat } from "node:fs/promises";
import { recover } from "./file-errors.ts";

/** Reads a file of this program; null if it does not exist. */
export async function readRegularFile(path: string): Promise<string | null> {
  await refuseSpecialFile(path);
  return recover(readFile(path, "utf8"), null, "ENOENT");
}

/** Opening a pipe blocks until another process opens its other end, and reading a device may never end. */
export async function refuseSpecialFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile() && !found.isDirectory())
    throw new Error("it is a pipe or a device, not a file");
}
