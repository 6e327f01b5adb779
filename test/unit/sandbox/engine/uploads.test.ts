import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { startHostedSandbox } from "../../../../sandbox/start.ts";
import {
  call,
  entriesCsv,
  largeEntriesCsv,
  submissionForm,
  submit,
  waitUntil,
} from "../../../support/sandbox-requests.ts";

let tempDir: string;
beforeEach(() => {
  tempDir = mkdtempSync(join(tmpdir(), "claims-test-"));
});
afterEach(() => rmSync(tempDir, { recursive: true, force: true }));

const listUploads = () =>
  readdirSync(tempDir, { recursive: true }).filter((name) => String(name).includes("/"));

describe("the file of an upload", () => {
  it("stays in memory up to 1 MiB, and up to 32 MiB with those of other jobs", {
    tags: "large",
  }, async () => {
    await using sandbox = await startHostedSandbox(
      { jobSpeed: "real", frozenAt: "2026-11-20T00:00:00Z" },
      { tempDir },
    );
    const half = entriesCsv() + "\n".repeat(500_000);
    const submitMany = async (file: string, count: number) => {
      for (let number = 0; number < count; number += 1)
        expect((await submit(sandbox, submissionForm({ file }))).status).toBe(202);
    };
    await submitMany(half, 60);
    expect(listUploads()).toEqual([]);
    await submitMany(largeEntriesCsv(), 1);
    expect(listUploads()).toHaveLength(1);
    await submitMany(half, 10);
    expect(listUploads().length).toBeGreaterThan(1);
    await sandbox.clock.advance("idle");
    expect(listUploads()).toEqual([]);
    await submitMany(half, 60);
    expect(listUploads()).toEqual([]);
    await sandbox.clock.advance("idle");
    const { body } = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(body.jobs).toMatchObject({ completed: 131 });
  });

  it("is removed after its job has read it, also if the file is invalid", async () => {
    await using sandbox = await startHostedSandbox(
      {
        jobSpeed: "real",
        frozenAt: "2026-11-20T00:00:00Z",
      },
      { tempDir },
    );
    const large = 1 << 20;
    for (const file of [
      largeEntriesCsv(),
      `no,such,layout\n${"\n".repeat(large)}`,
      new Uint8Array(large + 1).fill(0xff),
    ])
      expect((await submit(sandbox, submissionForm({ file }))).status).toBe(202);
    expect(listUploads()).toHaveLength(3);
    await sandbox.clock.advance("idle");
    expect(listUploads()).toEqual([]);
  });
});

describe("a temporary folder that is missing", () => {
  const refusal = {
    status: 507,
    code: "insufficient_storage",
    detail: expect.stringMatching(/\(ENOENT\)\. Set TMPDIR to a folder .*option tempDir/),
  };

  it("makes an upload fail with 507 and a hint, while the sandbox continues", async () => {
    const missing = join(tempDir, "missing");
    mkdirSync(missing);
    await using sandbox = await startHostedSandbox({}, { tempDir: missing });
    rmSync(missing, { recursive: true });
    const response = await submit(sandbox, submissionForm({ file: "x".repeat(2_000_000) }));
    expect(response.body).toMatchObject(refusal);
    expect(response.body.detail).toContain(missing);
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
    mkdirSync(missing);
    expect((await submit(sandbox, submissionForm({ file: largeEntriesCsv() }))).status).toBe(202);
    await sandbox.idle();
  });

  it("makes the load of a snapshot with unread files fail with 507", async () => {
    const missing = join(tempDir, "missing");
    mkdirSync(missing);
    await using sandbox = await startHostedSandbox({ jobSpeed: "real" }, { tempDir: missing });
    await submit(sandbox, submissionForm({ file: largeEntriesCsv() }));
    await sandbox.snapshots.save("one");
    rmSync(missing, { recursive: true });
    const response = await call(sandbox, "/_sandbox/snapshots/one/load", {
      method: "POST",
      token: sandbox.controlToken,
    });
    expect([response.status, response.body.code]).toEqual([507, "insufficient_storage"]);
  });
});

describe.runIf(existsSync("/proc/self/ns/pid"))("the folder of a killed sandbox", () => {
  /** Starts a sandbox with an unread upload; returns its folder and the PID, start time and PID namespace in its name. */
  async function startWithUnreadUpload(): Promise<{ sandbox: Sandbox; name: string; parts: string[] }> {
    const sandbox = await startHostedSandbox(
      { jobSpeed: "real", frozenAt: "2026-11-20T00:00:00Z" },
      { tempDir },
    );
    expect((await submit(sandbox, submissionForm({ file: largeEntriesCsv() }))).status).toBe(202);
    const [name = ""] = readdirSync(tempDir);
    const [, ...parts] = /^claims-sandbox-(\d+)-([\da-f]+\.\d+)-(\d+)-\w+$/.exec(name) ?? [];
    expect(parts).toHaveLength(3);
    return { sandbox, name, parts };
  }

  /** Copies the folder as if another process had left it behind. */
  function copyFolder(name: string, parts: readonly unknown[]): string {
    const copy = `claims-sandbox-${parts.join("-")}-abcdef`;
    cpSync(join(tempDir, name), join(tempDir, copy), { recursive: true });
    return copy;
  }

  const listAfterStart = async () => {
    await using _sandbox = await startHostedSandbox({}, { tempDir });
    return readdirSync(tempDir);
  };

  /** Above the maximum PID of Linux (PID_MAX_LIMIT). */
  const UNUSED_PID = 4_194_305;

  it("is removed if the process has ended, or if another process has its PID", async () => {
    const { sandbox, name, parts } = await startWithUnreadUpload();
    const [pid, startTime = "", namespace] = parts;
    copyFolder(name, [UNUSED_PID, startTime, namespace]);
    copyFolder(name, [pid, `${startTime.slice(0, -1)}${(Number(startTime.at(-1)) + 1) % 10}`, namespace]);
    copyFolder(name, [1, startTime, namespace]);
    expect(readdirSync(tempDir)).toHaveLength(4);
    expect(await listAfterStart()).toEqual([name]);
    await sandbox.close();
  });

  it("is removed if the process is a zombie", { tags: "large" }, async () => {
    const { sandbox, name, parts } = await startWithUnreadUpload();
    const parent = spawn("bash", ["-c", "sleep 0.3 & echo $!; exec sleep 60"]);
    const pid = String(await once(parent.stdout, "data")).trim();
    const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1");
    await waitUntil(() => stat().includes(") Z "));
    const ticks = stat().split(") ")[1]?.split(" ")[19] ?? "";
    copyFolder(name, [pid, parts[1]?.replace(/\d+$/, ticks), parts[2]]);
    expect(await listAfterStart()).toEqual([name]);
    parent.kill();
    await sandbox.close();
  });

  it("stays if the process is running, so that the job can read its file", async () => {
    const { sandbox } = await startWithUnreadUpload();
    await listAfterStart();
    expect((await sandbox.clock.advance("idle")).ran).toHaveLength(2);
    const { body } = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(body.jobs).toMatchObject({ completed: 1 });
    await sandbox.close();
  });

  it("stays if it belongs to another PID namespace, another boot or an unknown owner", async () => {
    const { sandbox, name, parts } = await startWithUnreadUpload();
    const [pid, startTime, namespace] = parts;
    const others = [
      copyFolder(name, [pid, startTime, "1"]),
      copyFolder(name, [UNUSED_PID, startTime, "1"]),
      copyFolder(name, [UNUSED_PID, "00000000.1", namespace]),
    ];
    const target = mkdtempSync(join(tmpdir(), "claims-test-"));
    writeFileSync(join(target, "precious"), "");
    for (const unknown of [
      "claims-sandbox-old",
      `x-claims-sandbox-${UNUSED_PID}-${startTime}-${namespace}-x`,
    ])
      mkdirSync(join(tempDir, unknown));
    const before = readdirSync(tempDir);
    expect(before).toEqual(expect.arrayContaining(others));
    // A link is removed, but not its target.
    symlinkSync(target, join(tempDir, `claims-sandbox-${UNUSED_PID}-${startTime}-${namespace}-linked`));
    expect(await listAfterStart()).toEqual(before);
    expect(readdirSync(target)).toEqual(["precious"]);
    rmSync(target, { recursive: true });
    await sandbox.close();
  });
});
