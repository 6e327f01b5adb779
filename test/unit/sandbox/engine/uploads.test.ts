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
import { createUpload } from "../../../../sandbox/engine/uploads.ts";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.ts";
import { call, submissionForm, submit, waitUntil } from "../../../support/sandbox-requests.ts";

let tempDir: string;
beforeEach(() => {
  tempDir = mkdtempSync(join(tmpdir(), "claims-test-"));
});
afterEach(() => rmSync(tempDir, { recursive: true, force: true }));

const files = () => readdirSync(tempDir, { recursive: true }).filter((name) => String(name).includes("/"));

describe("an upload", () => {
  it("is removed when its job has read it, also where the file has a fault", async () => {
    await using sandbox = await startSandbox({ tempDir, jobSpeed: "real", frozenAt: "2026-11-20T00:00:00Z" });
    for (const file of [undefined, "no,such,layout\n", new Uint8Array([0xff, 0xfe, 0xff])])
      expect((await submit(sandbox, submissionForm(file === undefined ? {} : { file }))).status).toBe(202);
    expect(files()).toHaveLength(3);
    await sandbox.clock.advance("idle");
    expect(files()).toEqual([]);
  });

  it("is removed when the form is refused behind it", async () => {
    await using sandbox = await startSandbox({ tempDir, maxUploadBytes: 200_000 });
    for (const form of [
      submissionForm({ file: "x".repeat(300_000) }),
      submissionForm({ file: "x".repeat(100_000), seller_name: null }),
    ]) {
      expect((await submit(sandbox, form)).status).toBeGreaterThanOrEqual(400);
      expect(files()).toEqual([]);
    }
  });
});

describe("a temporary folder that cannot be written to", () => {
  const refusal = {
    status: 507,
    code: "insufficient_storage",
    detail: expect.stringMatching(/\(ENOENT\)\. Set TMPDIR to a folder .*option tempDir/),
  };

  it("does not stop the sandbox, and refuses an upload with what to set", async () => {
    const gone = join(tempDir, "gone");
    mkdirSync(gone);
    await using sandbox = await startSandbox({ tempDir: gone });
    rmSync(gone, { recursive: true });
    const answer = await submit(sandbox, submissionForm({ file: "x".repeat(500_000) }));
    expect(answer.body).toMatchObject(refusal);
    expect(answer.body.detail).toContain(gone);
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
    mkdirSync(gone);
    expect((await submit(sandbox, submissionForm())).status).toBe(202);
    await sandbox.idle();
  });

  it("is reported if the folder is lost when the file begins", async () => {
    const upload = createUpload(join(tempDir, "gone"));
    await expect(upload.write([new Uint8Array(10)])).rejects.toMatchObject({
      status: 507,
      code: "insufficient_storage",
    });
    await upload.discard();
  });

  it("refuses a snapshot with files that are not read yet", async () => {
    const gone = join(tempDir, "gone");
    mkdirSync(gone);
    await using sandbox = await startSandbox({ tempDir: gone, jobSpeed: "real" });
    await submit(sandbox, submissionForm());
    await sandbox.snapshots.save("one");
    rmSync(gone, { recursive: true });
    const answer = await call(sandbox, "/_sandbox/snapshots/one/load", {
      method: "POST",
      token: sandbox.controlToken,
    });
    expect([answer.status, answer.body.code]).toEqual([507, "insufficient_storage"]);
  });
});

describe.runIf(existsSync("/proc/self/ns/pid"))(
  "what killed sandboxes have left in the temporary folder",
  () => {
    /** A sandbox with an upload that waits, and its folder: the pid, start time and PID namespace of its process. */
    async function waiting(): Promise<{ sandbox: Sandbox; name: string; parts: string[] }> {
      const sandbox = await startSandbox({ tempDir, jobSpeed: "real", frozenAt: "2026-11-20T00:00:00Z" });
      expect((await submit(sandbox, submissionForm())).status).toBe(202);
      const [name = ""] = readdirSync(tempDir);
      const [, ...parts] = /^claims-sandbox-(\d+)-([\da-f]+\.\d+)-(\d+)-\w+$/.exec(name) ?? [];
      expect(parts).toHaveLength(3);
      return { sandbox, name, parts };
    }

    /** The folder as another process would have left it. */
    function leave(name: string, parts: readonly unknown[]): string {
      const left = `claims-sandbox-${parts.join("-")}-abcdef`;
      cpSync(join(tempDir, name), join(tempDir, left), { recursive: true });
      return left;
    }

    const start = async () => {
      await using _sandbox = await startSandbox({ tempDir });
      return readdirSync(tempDir);
    };

    /** Above every pid that Linux gives (PID_MAX_LIMIT). */
    const NO_PID = 4_194_305;

    it("is removed where the process is gone, or its pid is another one's now", async () => {
      const { sandbox, name, parts } = await waiting();
      const [pid, startTime = "", namespace] = parts;
      leave(name, [NO_PID, startTime, namespace]);
      leave(name, [pid, `${startTime.slice(0, -1)}${(Number(startTime.at(-1)) + 1) % 10}`, namespace]);
      leave(name, [1, startTime, namespace]);
      expect(readdirSync(tempDir)).toHaveLength(4);
      expect(await start()).toEqual([name]);
      await sandbox.close();
    });

    it("is removed if its process ended without closing the sandbox", async () => {
      const { sandbox, name, parts } = await waiting();
      const parent = spawn("bash", ["-c", "sleep 0.3 & echo $!; exec sleep 60"]);
      const pid = String(await once(parent.stdout, "data")).trim();
      const stat = () => readFileSync(`/proc/${pid}/stat`, "latin1");
      await waitUntil(() => stat().includes(") Z "));
      const ticks = stat().split(") ")[1]?.split(" ")[19] ?? "";
      leave(name, [pid, parts[1]?.replace(/\d+$/, ticks), parts[2]]);
      expect(await start()).toEqual([name]);
      parent.kill();
      await sandbox.close();
    });

    it("stays where its process is running, and the job reads it", async () => {
      const { sandbox } = await waiting();
      await start();
      expect((await sandbox.clock.advance("idle")).ran).toHaveLength(2);
      const { body } = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
      expect(body.jobs).toMatchObject({ completed: 1 });
      await sandbox.close();
    });

    it("stays where it belongs to another PID namespace, another boot or no known process", async () => {
      const { sandbox, name, parts } = await waiting();
      const [pid, startTime, namespace] = parts;
      const others = [
        leave(name, [pid, startTime, "1"]),
        leave(name, [NO_PID, startTime, "1"]),
        leave(name, [NO_PID, "00000000.1", namespace]),
      ];
      const target = mkdtempSync(join(tmpdir(), "claims-test-"));
      writeFileSync(join(target, "precious"), "");
      for (const unknown of ["claims-sandbox-old", `x-claims-sandbox-${NO_PID}-${startTime}-${namespace}-x`])
        mkdirSync(join(tempDir, unknown));
      const before = readdirSync(tempDir);
      expect(before).toEqual(expect.arrayContaining(others));
      // A link goes; what it links to stays.
      symlinkSync(target, join(tempDir, `claims-sandbox-${NO_PID}-${startTime}-${namespace}-linked`));
      expect(await start()).toEqual(before);
      expect(readdirSync(target)).toEqual(["precious"]);
      rmSync(target, { recursive: true });
      await sandbox.close();
    });
  },
);
