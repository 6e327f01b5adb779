import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/cli.ts";
import { startMachineWithFolder, toEntryFile } from "../support/counted-machine.ts";
import { ACCEPT_AND_LOSE, DROP, executeAndRespond, type Reaction } from "../support/counting-service.ts";
import { batchArgs, parseItems } from "../support/entry-folder.ts";
import { submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** A machine whose first write has an outcome that a person gave up on. */
async function setUp(
  toFirst: (files: { file: string; folder: string }) => string[] = ({ file }) => submitArgs(file),
  { keepsKeys = false, reaction = DROP as Reaction } = {},
) {
  const machine = await startMachineWithFolder({ keepsKeys });
  const { claims, file, folder, history, service } = machine;
  service.react(...(keepsKeys ? [reaction, reaction, reaction] : [reaction]));
  expect([6, 10]).toContain((await claims(toFirst({ file, folder }))).code);
  service.reactions.length = 0;
  const key = (await history("--unknown")).rows[0]?.key ?? "";
  expect((await claims(["history", "forget", key])).code).toBe(0);
  expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
  const begunUploads = service.begunUploads;
  /** How many writes were sent since. */
  const countSent = () => service.begunUploads - begunUploads;
  return { ...machine, countSent, key };
}

describe("submit of a file whose outcome was forgotten", () => {
  it.each([[true], [false]])("sends nothing, and says how to send it (keys: %s)", async (keepsKeys) => {
    const { claims, countSent, file, history, key } = await setUp(undefined, { keepsKeys });
    for (const more of [[], ["--on-duplicate", "fail"]]) {
      const result = await claims(submitArgs(file, "--json", ...more));
      expect([result.code, result.stdout]).toEqual([5, ""]);
      const error = errorOf(result);
      expect(error.code).toBe("duplicate");
      expect(error.message).toMatch(
        /a\.csv was sent at .* UTC, and its outcome was forgotten; it was not sent/,
      );
      expect(error.hint).toContain(`claims history resolve ${key} --refused`);
      expect(error.hint).toContain("--on-duplicate submit");
    }
    expect(countSent()).toBe(0);
    expect((await history()).rows).toMatchObject([{ key, outcome: "forgotten" }]);
  });

  it("takes it as done with --on-duplicate skip: exit 0, no job id, a note", async () => {
    const { claims, countSent, file } = await setUp();
    for (const more of [[], ["--json"], ["--wait"]]) {
      const result = await claims(submitArgs(file, "--on-duplicate", "skip", ...more));
      expect([result.code, result.stdout], result.stderr).toEqual([0, ""]);
      expect(result.stderr).toContain("its outcome was forgotten; it is not sent again");
    }
    expect(countSent()).toBe(0);
  });

  it.each([["warn"], ["submit"]])(
    "sends it with --on-duplicate %s, under another key",
    async (onDuplicate) => {
      const { claims, countSent, file, key, service } = await setUp();
      const result = await claims(submitArgs(file, "--on-duplicate", onDuplicate));
      expect([result.code, countSent()]).toEqual([0, 1]);
      expect(service.uploads.at(-1)?.key).not.toBe(key);
      expect(result.stderr.includes("its outcome was forgotten")).toBe(onDuplicate === "warn");
    },
  );

  it("asks on a terminal", async () => {
    const { countSent, env, file, home } = await setUp();
    const ask = (typed: string) => createTerminalContext({ env, cwd: home, typed }).run(...submitArgs(file));
    expect([await ask("n\n"), countSent()]).toEqual([5, 0]);
    expect([await ask("yes\n"), countSent()]).toEqual([0, 1]);
  });

  it("sends it once after resolve --refused", async () => {
    const { claims, countSent, file, key, service } = await setUp();
    expect((await claims(["history", "resolve", key, "--refused"])).code).toBe(0);
    expect((await claims(submitArgs(file))).code).toBe(0);
    expect((await claims(submitArgs(file))).code).toBe(5);
    expect([countSent(), service.jobs.length]).toEqual([1, 1]);
  });

  it("uses the job that resolve names later", async () => {
    const { claims, countSent, file, key, service } = await setUp(undefined, { reaction: ACCEPT_AND_LOSE });
    const id = service.jobs[0]?.id ?? "";
    expect((await claims(["history", "resolve", key, "--job-id", id])).code).toBe(0);
    const result = await claims(submitArgs(file, "--on-duplicate", "skip", "-q"));
    expect([result.code, result.stdout, countSent()]).toEqual([0, `${id}\n`, 0]);
  });

  it("repeats a later attempt with an unknown outcome under its key", async () => {
    const { claims, countSent, file, service } = await setUp(undefined, { keepsKeys: true });
    service.react(ACCEPT_AND_LOSE);
    expect((await claims(submitArgs(file, "--on-duplicate", "submit"))).code).toBe(6);
    expect((await claims(submitArgs(file))).code).toBe(0);
    expect([countSent(), service.jobs.length]).toEqual([2, 1]);
  });

  it("sends nothing either if the service had named a job in another environment", async () => {
    const body = { jobId: "00000000-0000-4000-8000-000000000001", environment: "production" };
    const { claims, countSent, file } = await setUp(undefined, {
      reaction: executeAndRespond(202, {}, body),
    });
    expect((await claims(submitArgs(file))).code).toBe(5);
    const skipped = await claims(submitArgs(file, "--on-duplicate", "skip"));
    expect([skipped.code, skipped.stdout, countSent()]).toEqual([0, "", 0]);
  });
});

describe("a batch with a file whose outcome was forgotten", () => {
  const byBatch = ({ folder }: { folder: string }) => batchArgs(folder);

  it.each([[true], [false]])("lists it, sends the others, and exits 0 (keys: %s)", async (keepsKeys) => {
    const { claims, countSent, folder, key } = await setUp(byBatch, { keepsKeys });
    writeFileSync(join(folder, "b.csv"), toEntryFile(2));
    for (const more of [[], ["--wait"], ["--on-duplicate", "skip"], ["--on-duplicate", "submit"]]) {
      const result = await claims(batchArgs(folder, ...more));
      expect([result.code, ...parseItems(result)], result.stderr).toMatchObject([
        0,
        { file: "a.csv", state: "forgotten", jobId: null, key, error: null },
        { file: "b.csv", error: null },
      ]);
      expect(result.stderr).toContain("1 forgotten");
    }
    expect(countSent()).toBe(1);
  });

  it("prints nothing in a night with nothing else to do", async () => {
    const { claims, folder } = await setUp(byBatch);
    const result = await claims(batchArgs(folder, "--out", "batch.json"));
    expect([result.code, result.stdout, result.stderr]).toEqual([0, "", ""]);
  });

  it("sends it after resolve --refused", async () => {
    const { claims, countSent, folder, key } = await setUp(byBatch);
    expect((await claims(["history", "resolve", key, "--refused"])).code).toBe(0);
    for (const _ of [1, 2]) expect((await claims(batchArgs(folder))).code).toBe(0);
    expect(countSent()).toBe(1);
  });

  it("fails if another command sent it, unless --on-duplicate skip takes it as done", async () => {
    const { claims, countSent, folder } = await setUp();
    const failed = await claims(batchArgs(folder));
    expect([failed.code, ...parseItems(failed)]).toMatchObject([5, { state: "duplicate" }]);
    const skipped = await claims(batchArgs(folder, "--on-duplicate", "skip"));
    expect([skipped.code, ...parseItems(skipped)]).toMatchObject([0, { state: "forgotten" }]);
    expect(countSent()).toBe(0);
  });
});

it("another write whose outcome was forgotten counts as sent: an equal one may be meant", async () => {
  const create = ["clients", "create", "--name", "A client", "--importer-number", "98-7654321"];
  const { claims, countSent, history } = await setUp(() => create);
  for (const _ of [1, 2]) expect((await claims(create)).code).toBe(0);
  expect(countSent()).toBe(2);
  expect((await history()).rows.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "forgotten"]);
});
