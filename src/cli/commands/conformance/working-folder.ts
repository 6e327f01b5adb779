import { copyFile, lstat, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/** Whether something directly in a folder has changed, such as the file in which a program keeps its state. */
export async function hasChangedSince(folder: string, startedAt: number): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => null)));
  return stats.some((each) => each !== null && each.ctimeMs >= startedAt);
}

/**
 * Makes a working folder for one scenario: scenarios run at the same time, and a state that they share would be a fault of no
 * program. It has links to what the folder of the command contains, and copies of what the program changes there.
 *
 * @returns the folder; that of the command where links cannot be made
 */
export const linkWorkingFolder = (from: string, to: string, startedAt: number): Promise<string> =>
  linkContents(from, to, startedAt).catch(async () => {
    await rm(to, { recursive: true, force: true });
    return from;
  });

async function linkContents(from: string, to: string, startedAt: number): Promise<string> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const stats = await lstat(source);
    // The program makes it again.
    if (stats.birthtimeMs >= startedAt) continue;
    if (stats.ctimeMs < startedAt) await symlink(source, target);
    else if (stats.isDirectory()) await linkContents(source, target, startedAt);
    else if (stats.isFile()) await copyFile(source, target);
  }
  return to;
}
