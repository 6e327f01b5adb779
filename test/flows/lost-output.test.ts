import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { PROGRAM } from "../support/cli.ts";
import { startMachineWithFolder as setUp, toEntryFile } from "../support/counted-machine.ts";
import { ACCEPT, ACCEPT_AND_LOSE } from "../support/counting-service.ts";
import { batchArgs } from "../support/entry-folder.ts";
import { itEachFirst } from "../support/large.ts";
import { submitArgs } from "../support/sandbox.ts";

const FULL = "/dev/full";

type Setting = Awaited<ReturnType<typeof setUp>>;

/** Runs a command whose stdout cannot be written. */
const OUTPUTS: Record<
  string,
  (setting: Setting, args: readonly string[]) => Promise<{ code: number | null; stderr: string }>
> = {
  "on a full disk": async ({ env, home }, args) => {
    const stdout = openSync(FULL, "w");
    const [program, ...first] = PROGRAM.self;
    const child = spawn(program, [...first, ...args], { env, cwd: home, stdio: ["ignore", stdout, "pipe"] });
    closeSync(stdout);
    if (child.stderr === null) throw new Error("stderr is a pipe");
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    return { code, stderr };
  },
  "in a pipe whose reader has ended": async ({ env, home, service }, args) => {
    const [program, ...first] = PROGRAM.self;
    const child = spawn(program, [...first, ...args], { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
    const closed = once(child.stdout, "close");
    service.react({
      ...ACCEPT,
      beforeResponse: () => {
        child.stdout.destroy();
        return closed;
      },
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    return { code, stderr };
  },
};

const COMMANDS: Record<string, (setting: Setting) => string[]> = {
  submit: ({ file }) => submitArgs(file),
  "submit --json": ({ file }) => submitArgs(file, "--json"),
  "submit -q": ({ file }) => submitArgs(file, "-q"),
  "submit --wait": ({ file }) => submitArgs(file, "--wait"),
  batch: ({ folder }) => batchArgs(folder),
  "batch --json": ({ folder }) => batchArgs(folder, "--json"),
};

describe.runIf(existsSync(FULL)).each(Object.entries(OUTPUTS))("stdout %s", (_, run) => {
  itEachFirst(Object.entries(COMMANDS))(
    "after the acceptance is exit 10, once: %s",
    async (name, toCommand) => {
      const setting = await setUp();
      const { claims, file, history, service } = setting;
      const { code, stderr } = await run(setting, toCommand(setting));
      expect([code, service.jobs.length]).toEqual([10, 1]);
      // Both a person and a program find the job.
      expect(stderr).toContain(service.jobs[0]?.id);
      if (name.includes("--json")) expect(stderr).toContain('"code":"output_lost"');
      if (name === "submit -q") {
        const [, saved = ""] = /the response is saved as (\S+)$/m.exec(stderr) ?? [];
        expect(JSON.parse(readFileSync(saved, "utf8")).jobId).toBe(service.jobs[0]?.id);
        expect(statSync(saved).mode & 0o777).toBe(0o600);
      }
      expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
      expect((await history()).rows).toMatchObject([{ jobId: service.jobs[0]?.id }]);
      const next = await claims([...toCommand(setting), "--on-duplicate", "skip"]);
      expect([next.code, service.begunUploads]).toEqual([0, 1]);
      expect((await claims(submitArgs(file))).code).toBe(5);
      expect(service.begunUploads).toBe(1);
    },
  );
});

describe.runIf(existsSync(FULL))("stdout that cannot be written", { tags: "large" }, () => {
  it("is exit 10 for a batch that was accepted in part", async () => {
    const setting = await setUp();
    const { batch, folder, history, service } = setting;
    writeFileSync(join(folder, "b.csv"), toEntryFile(2));
    const result = await OUTPUTS["on a full disk"]?.(setting, batchArgs(folder, "--concurrency", "1"));
    expect(result?.code).toBe(10);
    expect(result?.stderr).toContain("hint: run the same command again: it sends nothing twice");
    expect(result?.stderr).not.toContain("do not run the command again");
    expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
    expect((await batch(folder)).code).toBe(0);
    expect(service.jobs).toHaveLength(2);
  });

  it("does not say that the service accepted a write whose outcome is unknown", async () => {
    const setting = await setUp();
    setting.service.react(ACCEPT_AND_LOSE);
    const { code, stderr } = (await OUTPUTS["on a full disk"]?.(setting, batchArgs(setting.folder))) ?? {};
    expect(code).toBe(10);
    expect(stderr).toContain("; the service may have accepted 1 write\n");
  });

  it("is exit 6 for a batch that had nothing to send", async () => {
    const setting = await setUp();
    const { batch, folder, service } = setting;
    expect((await batch(folder)).code).toBe(0);
    const result = await OUTPUTS["on a full disk"]?.(setting, batchArgs(folder));
    expect(result?.code).toBe(6);
    expect(service.begunUploads).toBe(1);
  });
});
