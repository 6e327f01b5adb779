import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProcess, localProcesses, type Processes } from "../../../../src/process/identity.ts";
import { removeLeftovers } from "../../../../src/process/temporary-folder.ts";
import { temporaryFolder } from "../../../support/cli.ts";

const PREFIX = "claims-exec-";

/** PID 1 is dead, PID 2 has an unknown status, and every other PID is alive. */
const processes: Processes = {
  ...localProcesses(process, Date.now),
  statusOf: ({ pid }) => (pid === 1 ? "dead" : pid === 2 ? "unknown" : "alive"),
};

const makeFolder = (parent: string, pid: number, suffix = "abc", prefix = PREFIX): string => {
  const path = join(parent, `${prefix}${formatProcess({ ...processes.own, pid })}-${suffix}`);
  mkdirSync(path);
  writeFileSync(join(path, "file"), "");
  return path;
};

describe("removeLeftovers", () => {
  it("keeps a folder whose owner belongs to another PID namespace or boot, or has an unknown status", async () => {
    const parent = temporaryFolder();
    makeFolder(parent, 2);
    for (const other of [{ pidNamespace: "1" }, { startTime: "00000000.1" }])
      mkdirSync(join(parent, `${PREFIX}${formatProcess({ ...processes.own, pid: 1, ...other })}-a`));
    await removeLeftovers(parent, PREFIX, processes);
    expect(readdirSync(parent)).toHaveLength(3);
  });

  it("keeps the folders of other users, and does not follow links", async () => {
    const parent = temporaryFolder();
    makeFolder(parent, 1);
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
});
