import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCommands, startCountedMachine, toEntryFile } from "../support/counted-machine.ts";
import { batchArgs } from "../support/entry-folder.ts";
import { submitArgs } from "../support/sandbox.ts";

/** Lines that this version cannot read. Each may be a submission. */
const LINES: Record<string, string> = {
  "of a newer version": '{"type":"intent-of-a-newer-version","at":"2026-11-20T00:00:00Z","key":"k"}',
  "with overwritten bytes": '{"type":"intent","at":"2026-11-2\u0000\u0000\u0000',
  "that is JSON of another form": "[1,2]",
};

/** A machine that submitted one file of a folder, so that both logs have lines. */
async function setUp() {
  const machine = await startCountedMachine();
  const folder = join(machine.home, "entries");
  mkdirSync(folder);
  writeFileSync(join(folder, "first.csv"), toEntryFile(9));
  expect((await machine.batch(folder)).code).toBe(0);
  const file = join(folder, "a.csv");
  writeFileSync(file, toEntryFile(1));
  return { ...machine, folder, file, batchLog: `${folder}.batch.jsonl` };
}

type Setting = Awaited<ReturnType<typeof setUp>>;

const countLines = (path: string): number => readFileSync(path, "utf8").split("\n").length - 1;

const COMMANDS: Record<string, (setting: Setting) => string[]> = {
  submit: ({ file }) => submitArgs(file),
  "submit --on-duplicate skip": ({ file }) => submitArgs(file, "--on-duplicate", "skip"),
  batch: ({ folder }) => batchArgs(folder),
};

/** The command sends nothing, and names the line and the command that records that a person has looked at it. */
async function expectStopped(setting: Setting, command: readonly string[], path: string, line: number) {
  const { claims, service } = setting;
  for (const _ of [1, 2]) {
    const result = await claims(command);
    expect([result.code, service.begunUploads]).toEqual([10, 1]);
    expect(result.stderr).toContain(path);
    expect(result.stderr).toMatch(new RegExp(`line ${line}\\b`));
    const [forget = []] = findCommands(result, "history forget");
    expect(forget.join(" ")).toMatch(new RegExp(`--line ${line}\\b`));
    if (_ === 1) continue;
    const forgotten = await claims(forget);
    expect(forgotten.code, forgotten.stderr).toBe(0);
  }
}

describe.each(Object.entries(COMMANDS))("%s with a line that cannot be read", (name, toCommand) => {
  it.each(Object.entries(LINES))("in the write log sends nothing: a line %s", async (_, text) => {
    const setting = await setUp();
    const { claims, log, service } = setting;
    appendFileSync(log, `${text}\n`);
    await expectStopped(setting, toCommand(setting), log, countLines(log));
    expect(readFileSync(log, "utf8")).toContain(text);
    const result = await claims(toCommand(setting));
    expect([result.code, service.jobs.length]).toEqual([0, 2]);
  });

  if (name.startsWith("batch"))
    it.each(Object.entries(LINES))("in the batch log sends nothing: a line %s", async (_, text) => {
      const setting = await setUp();
      const { batchLog, claims, service } = setting;
      appendFileSync(batchLog, `${text}\n`);
      await expectStopped(setting, toCommand(setting), batchLog, countLines(batchLog));
      const result = await claims(toCommand(setting));
      expect([result.code, service.jobs.length]).toEqual([0, 2]);
    });
});

describe("a line of the write log that cannot be read", () => {
  const [text = ""] = Object.values(LINES);

  it.each(["submit", "warn"])("does not stop --on-duplicate %s", async (onDuplicate) => {
    const { log, file, service, submit } = await setUp();
    appendFileSync(log, `${text}\n`);
    expect((await submit(file, "--on-duplicate", onDuplicate)).code).toBe(0);
    expect(service.jobs).toHaveLength(2);
  });

  it("in the middle stops every run, and each line needs its own decision", async () => {
    const { claims, file, log, service, submit } = await setUp();
    const lines = readFileSync(log, "utf8").split("\n");
    lines.splice(1, 0, text);
    writeFileSync(log, [...lines.slice(0, -1), text, ""].join("\n"));
    const last = lines.length;
    expect((await submit(file)).code).toBe(10);
    expect((await claims(["history", "forget", "--line", "2"])).code).toBe(0);
    const second = await submit(file);
    expect([second.code, second.stderr]).toEqual([10, expect.stringContaining(`line ${last}`)]);
    expect(service.begunUploads).toBe(1);
    expect((await claims(["history", "forget", "--line", String(last)])).code).toBe(0);
    expect((await submit(file)).code).toBe(0);
    expect(service.jobs).toHaveLength(2);
  });

  it("that comes after a decision needs another one", async () => {
    const { claims, file, log, service, submit } = await setUp();
    appendFileSync(log, `${text}\n`);
    expect((await claims(["history", "forget", "--line", String(countLines(log))])).code).toBe(0);
    appendFileSync(log, `${text}\n`);
    expect((await submit(file)).code).toBe(10);
    expect(service.begunUploads).toBe(1);
  });

  it("is listed by history --unknown, with exit 10", async () => {
    const { claims, log } = await setUp();
    appendFileSync(log, `${text}\n`);
    const result = await claims(["history", "--unknown"]);
    expect([result.code, result.stderr]).toEqual([10, expect.stringContaining(`line ${countLines(log)}`)]);
  });
});

it("history forget --line refuses a line that can be read or is not there", async () => {
  const { claims, log } = await setUp();
  const before = readFileSync(log, "utf8");
  for (const line of ["1", "999", "0", "-1", "x"])
    expect([2, 3, 5]).toContain((await claims(["history", "forget", `--line=${line}`])).code);
  expect(readFileSync(log, "utf8")).toBe(before);
});

it("a last line that was cut off is not a submission, because nothing was sent without it", async () => {
  const { claims, file, log, service, submit } = await setUp();
  appendFileSync(log, '{"type":"intent","at":"2026-');
  expect((await submit(file)).code).toBe(0);
  expect(service.jobs).toHaveLength(2);
  expect((await claims(["history", "--unknown"])).code).toBe(0);
});
