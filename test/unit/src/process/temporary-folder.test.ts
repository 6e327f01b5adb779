import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProcess, localProcesses, type Processes } from "../../../../src/process/identity.ts";
import { makeTemporaryFolder, removeLeftovers } from "../../../../src/process/temporary-folder.ts";
import { temporaryFolder } from "../../../support/cli.ts";

const PREFIX = "claims-exec-";

/** Of these numbers, 1 is dead and 2 may be alive. */
const processes: Processes = {
  ...localProcesses(process, Date.now),
  statusOf: ({ pid }) => (pid === 1 ? "dead" : pid === 2 ? "unknown" : "alive"),
};

const folderOf = (parent: string, pid: number, end = "abc", prefix = PREFIX): string => {
  const path = join(parent, `${prefix}${formatProcess({ ...processes.own, pid })}-${end}`);
  mkdirSync(path);
  writeFileSync(join(path, "file"), "");
  return path;
};

describe("temporary folders", () => {
  it("are removed when their owners are dead, and no others are", async () => {
    const parent = temporaryFolder();
    folderOf(parent, 1);
    folderOf(parent, 1, "another");
    const own = await makeTemporaryFolder(parent, PREFIX, processes);
    const kept = [own, folderOf(parent, 2), folderOf(parent, 3), folderOf(parent, 1, "a", "someone-")];
    mkdirSync(join(parent, `${PREFIX}1`));
    await removeLeftovers(parent, PREFIX, processes);
    expect(readdirSync(parent).sort()).toEqual([...kept.map((path) => basename(path)), `${PREFIX}1`].sort());
  });

  it("stay when their owner belongs to another PID namespace or boot, or when its status is unknown", async () => {
    const parent = temporaryFolder();
    folderOf(parent, 2);
    for (const other of [{ pidNamespace: "1" }, { startTime: "00000000.1" }])
      mkdirSync(join(parent, `${PREFIX}${formatProcess({ ...processes.own, pid: 1, ...other })}-a`));
    await removeLeftovers(parent, PREFIX, processes);
    expect(readdirSync(parent)).toHaveLength(3);
  });

  it("are left to other users, and nothing that they link to is touched", async () => {
    const parent = temporaryFolder();
    folderOf(parent, 1);
    const other = { ...processes, userId: (processes.userId ?? 0) + 1 };
    await removeLeftovers(parent, PREFIX, other);
    expect(readdirSync(parent)).toHaveLength(1);

    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, "file"), "");
    symlinkSync(elsewhere, join(parent, `${PREFIX}${formatProcess({ ...processes.own, pid: 1 })}-link`));
    await removeLeftovers(parent, PREFIX, processes);
    expect(readdirSync(parent)).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual(["file"]);
  });

  it("are none where the temporary folder is none", async () => {
    await expect(removeLeftovers("/no/such/folder", PREFIX, processes)).resolves.toBeUndefined();
  });
});
