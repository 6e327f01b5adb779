import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Upload } from "../../sandbox/engine/uploads.ts";
import { startSandbox } from "../../sandbox/index.ts";
import { call, submissionForm, submit } from "./calls.ts";

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

  it("does not keep a sandbox from working, and an upload from being told what to set", async () => {
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

  it("is told of as well where the folder is lost when the file begins", async () => {
    const upload = new Upload(join(tempDir, "gone"));
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
