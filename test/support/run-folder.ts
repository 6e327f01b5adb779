import { spawnSync } from "node:child_process";
import { accessSync, constants, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localProcesses } from "../../src/process/identity.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../src/process/temporary-folder.ts";

const PREFIX = "claims-tests-";

/** The folders of all tests need some hundred megabytes at a time. */
const MIN_BYTES = 4 * 1024 ** 3;

/**
 * Gives the run one folder for its temporary files, and removes it and those of killed runs. It is in memory where there is
 * room: on a disk, tests spend a quarter of their processor time on folders and flushes.
 */
export default async function createRunFolder(): Promise<() => void> {
  const processes = localProcesses(process, Date.now);
  const parent = hasRoom("/dev/shm") ? "/dev/shm" : tmpdir();
  await removeLeftovers(parent, PREFIX, processes);
  const folder = await makeTemporaryFolder(parent, PREFIX, processes);
  if (runsPrograms(folder)) process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_BYTES;
  } catch {
    return false;
  }
}

/** Containers often mount memory without the permission to run a program from it. */
function runsPrograms(folder: string): boolean {
  const script = join(folder, "script");
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
}
