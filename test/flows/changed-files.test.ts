import { Buffer } from "node:buffer";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { type CliResult, errorOf, useFastClock } from "../support/cli.ts";
import { startCountedMachine, toEntryFile, WITHOUT_CHECK } from "../support/counted-machine.ts";
import { ACCEPT, refuse, sha256 } from "../support/counting-service.ts";
import { batchArgs } from "../support/entry-folder.ts";
import { itEachFirst } from "../support/large.ts";
import { submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

useFastClock();

/** Changes that another program makes to the file while a command sends it. */
const CHANGES: Record<string, (file: string) => void> = {
  "overwritten with equal size and time": overwriteInPlace,
  "appended to": (file) => appendFileSync(file, "\n"),
  truncated: (file) => truncateSync(file, statSync(file).size - 10),
  deleted: (file) => rmSync(file),
  "replaced by rename": (file) => {
    writeFileSync(`${file}.new`, changeLastAmount(readFileSync(file)));
    renameSync(`${file}.new`, file);
  },
};

/** An open file keeps its bytes through these. */
const HARMLESS: readonly string[] = ["replaced by rename", "deleted"];

function overwriteInPlace(file: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, changeLastAmount(readFileSync(file)), { flag: "r+" });
  utimesSync(file, atime, mtime);
}

function changeLastAmount(content: Buffer): Buffer {
  const changed = Buffer.from(content);
  changed.write("9", content.lastIndexOf("1000.00"));
  return changed;
}

const MEBIBYTE = 1 << 20;

/** Larger than what is kept in memory and what sockets buffer. */
const LARGE = 24 * MEBIBYTE;

const toLargeEntryFile = (): Buffer => {
  const [header = "", row = ""] = toEntryFile(1).split("\n");
  const rows = Buffer.from(`${row}\n`);
  return Buffer.concat([Buffer.from(`${header}\n`), ...Array(Math.ceil(LARGE / rows.length)).fill(rows)]);
};

async function setUp(content: Buffer | string = toEntryFile(1), { keepsKeys = false } = {}) {
  const machine = await startCountedMachine({ keepsKeys });
  const file = machine.write("a.csv", content);
  return { ...machine, file, original: sha256(content) };
}

type Setting = Awaited<ReturnType<typeof setUp>>;

/** Sends the file and changes it at a moment when its bytes are known. Each resolves to the result of the command. */
const MOMENTS: Record<string, (setting: Setting, change: () => void) => Promise<CliResult>> = {
  "during the pause of 429": async ({ file, service, submit }, change) => {
    service.react({ ...refuse(429, { "retry-after": "1" }), beforeResponse: change });
    return submit(file, "--json");
  },
  "in a batch, during the pause of 429": async ({ claims, file, home, service }, change) => {
    const manifest = join(home, "manifest.csv");
    writeFileSync(manifest, `file\n${file}\n`);
    service.react({ ...refuse(429, { "retry-after": "1" }), beforeResponse: change });
    return claims(batchArgs(manifest, "--json"));
  },
};

describe("a file that changes while it is sent", () => {
  describe.each(Object.entries(MOMENTS))("%s", (_, send) => {
    itEachFirst(Object.entries(CHANGES))("is sent as it was checked: %s", async (_, change) => {
      const setting = await setUp();
      const { file, original, service, submit } = setting;
      const content = readFileSync(file);
      const result = await send(setting, () => change(file));
      expect([result.code, service.jobs.map(({ sha256 }) => sha256)]).toEqual([0, [original]]);
      expect(new Set(service.uploads.map(({ sha256 }) => sha256))).toEqual(new Set([original]));
      // The version that came later is another submission, and the first one is known.
      if (existsSync(file)) {
        const changed = sha256(readFileSync(file));
        expect((await submit(file, WITHOUT_CHECK, "--on-duplicate", "skip")).code).toBe(0);
        expect(service.jobs.map(({ sha256 }) => sha256)).toEqual([original, changed]);
      }
      writeFileSync(file, content);
      const uploads = service.begunUploads;
      expect((await submit(file, "--on-duplicate", "skip")).code).toBe(0);
      expect(service.begunUploads).toBe(uploads);
    });
  });

  itEachFirst(Object.entries(CHANGES))("between the check and the request: %s", async (_, change) => {
    const { env, file, home, original, service } = await setUp();
    const typed = new PassThrough();
    const terminal = createTerminalContext({
      ...{ env: { ...env, CLAIMS_ENVIRONMENT: "production" }, cwd: home },
      stdin: { readable: typed, isTerminal: true },
    });
    const running = terminal.run(...submitArgs(file));
    await expect.poll(() => terminal.stderr.text).toContain("PRODUCTION");
    change(file);
    typed.end("yes\n");
    expect([await running, service.jobs.map(({ sha256 }) => sha256)]).toEqual([0, [original]]);
  });
});

describe("a large file that changes while it is sent", () => {
  const content = toLargeEntryFile();

  /** What must hold when the change reached the command: nothing complete arrived, and the log does not hide the file. */
  async function expectFileChanged(setting: Setting, result: CliResult, completeUploads: number) {
    const { file, history, original, service, submit } = setting;
    expect([result.code, errorOf(result).code]).toEqual([5, "file_changed"]);
    expect([service.uploads.length, service.jobs.length]).toEqual([completeUploads, 0]);
    expect((await history()).rows).toMatchObject([{ outcome: "not sent" }]);
    expect((await history("--unknown")).code).toBe(0);
    writeFileSync(file, content);
    expect((await submit(file, WITHOUT_CHECK, "--on-duplicate", "skip")).code).toBe(0);
    expect(service.jobs.map(({ sha256 }) => sha256)).toEqual([original]);
  }

  async function expectSent({ file, original, service, submit }: Setting, result: CliResult) {
    expect([result.code, service.jobs.map(({ sha256 }) => sha256)]).toEqual([0, [original]]);
    writeFileSync(file, content);
    const uploads = service.begunUploads;
    expect((await submit(file, WITHOUT_CHECK, "--on-duplicate", "skip")).code).toBe(0);
    expect(service.begunUploads).toBe(uploads);
  }

  itEachFirst(Object.entries(CHANGES))("during the upload: %s", async (name, change) => {
    const setting = await setUp(content, { keepsKeys: true });
    const { file, service, submit } = setting;
    const meanwhile = async () => change(file);
    service.react({ ...ACCEPT, pause: { afterBytes: 1_024, meanwhile } });
    const result = await submit(file, "--json", WITHOUT_CHECK);
    if (HARMLESS.includes(name)) await expectSent(setting, result);
    else await expectFileChanged(setting, result, 0);
  });

  it("is left to the next run of a batch", async () => {
    const { claims, file, home, service } = await setUp(content);
    const manifest = join(home, "manifest.csv");
    writeFileSync(manifest, `file\n${file}\n`);
    const run = () => claims(batchArgs(manifest, "--json", "--check", "off", "--yes"));
    const meanwhile = async () => overwriteInPlace(file);
    service.react({ ...ACCEPT, pause: { afterBytes: 1_024, meanwhile } });
    const result = await run();
    expect([result.code, JSON.parse(result.stdout)]).toMatchObject([
      6,
      [{ state: "not sent", error: { code: "file_being_written" } }],
    ]);
    expect((await run()).code).toBe(0);
    expect(service.jobs.map(({ sha256 }) => sha256)).toEqual([sha256(readFileSync(file))]);
  });
});

describe("a file that another program still writes while a batch runs", () => {
  it.each([
    ["grows", (file: string) => appendFileSync(file, "\n"), 6],
    ["is replaced by a whole one", CHANGES["replaced by rename"] ?? expect.fail, 0],
  ])("is left to the next run if it is incomplete: one that %s", async (_, change, code) => {
    const { claims, home, service, write } = await startCountedMachine({ keepsKeys: false });
    write("a.csv", toEntryFile(1));
    const file = write("b.csv", toEntryFile(2));
    const manifest = join(home, "manifest.csv");
    writeFileSync(manifest, "file\na.csv\nb.csv\n");
    const run = () => claims(batchArgs(manifest, "--concurrency", "1", "--on-duplicate", "skip"));
    service.react({ ...ACCEPT, beforeResponse: () => change(file) });
    const result = await run();
    expect(result.code, result.stderr).toBe(code);
    expect(service.jobs).toHaveLength(code === 0 ? 2 : 1);
    if (code !== 0) expect(result.stderr).toContain("b.csv is still being written; it was not sent");
    expect((await run()).code).toBe(0);
    expect(service.jobs.at(-1)?.sha256).toBe(sha256(readFileSync(file)));
    expect(service.jobs).toHaveLength(2);
  });
});
