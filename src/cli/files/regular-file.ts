import { readFile, stat } from "node:fs/promises";

/** The text of a file that is ours alone, if it is one. */
export async function readRegularFile(path: string): Promise<string> {
  await refuseSpecialFile(path);
  return readFile(path, "utf8");
}

/**
 * Whoever opens a pipe waits until somebody is at its other end, and a device may never end: where a file of ours should
 * be, neither is opened. A folder, or nothing, is told by whoever opens it.
 *
 * @throws Error whose message `fileProblem` gives
 */
export async function refuseSpecialFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && !found.isFile() && !found.isDirectory())
    throw new Error("it is a pipe or a device, not a file");
}
