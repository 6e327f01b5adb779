import { readFile, stat } from "node:fs/promises";

/** Reads a file of this program; null if it does not exist. */
export async function readRegularFile(path: string): Promise<string | null> {
  await refuseSpecialFile(path);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Opening a pipe blocks until another process opens its other end, and reading a device may never end. */
export async function refuseSpecialFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile() && !found.isDirectory())
    throw new Error("it is a pipe or a device, not a file");
}
