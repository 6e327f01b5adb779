import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startHostedSandbox } from "../../../../sandbox/start.ts";
import { GOLDEN_TIME } from "../../../support/sandbox.ts";
import {
  call,
  callControl,
  entriesCsv,
  largeEntriesCsv,
  submissionForm,
  submit,
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
    await using sandbox = await startHostedSandbox({ jobSpeed: "real", frozenAt: GOLDEN_TIME }, { tempDir });
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
    const { body } = await callControl(sandbox, "GET", "/state");
    expect(body.jobs).toMatchObject({ completed: 131 });
  });

  it("is removed after its job has read it, also if the file is invalid", async () => {
    await using sandbox = await startHostedSandbox({ jobSpeed: "real", frozenAt: GOLDEN_TIME }, { tempDir });
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
    // As a cleaner of temporary files does.
    for (const name of readdirSync(missing)) rmSync(join(missing, name), { recursive: true });
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
    const response = await callControl(sandbox, "POST", "/snapshots/one/load");
    expect([response.status, response.body.code]).toEqual([507, "insufficient_storage"]);
  });
});
