import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LoggedWrites } from "../../../../../src/cli/write-log/logged-writes.ts";
import { WriteLog } from "../../../../../src/cli/write-log/write-log.ts";
import { describeOutcome } from "../../../../../src/cli/write-log/write-record.ts";
import { toWriteRecords } from "../../../../../src/cli/write-log/write-records.ts";
import { temporaryFolder } from "../../../../support/cli.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

const WRITE = {
  ...{ operation: "diligence.submit", content: "c", seller: "s", file: "f", bytes: 1, key: "k" },
  jobId: null,
};
const SCOPE = { baseUrl: "http://x", environment: "sandbox" };

function setUp() {
  const folder = temporaryFolder();
  const { context } = createTerminalContext();
  const createLog = (name: string) => new WriteLog(join(folder, name), context, { name, hint: "" });
  const own = { ...context.processes.own, pid: context.processes.own.pid + 1 };
  const later = {
    now: context.now,
    processes: { ...context.processes, own, statusOf: () => "dead" as const },
  };
  const listStates = async (log: WriteLog) =>
    toWriteRecords(await log.read()).map((entry) => describeOutcome(entry, later));
  return { context, createLog, folder, listStates };
}

const HELD = { requireHeld: async () => {}, release: async () => {} };

it("a write is recorded as not sent if another write log is not writable", async () => {
  const { context, createLog, folder, listStates } = setUp();
  mkdirSync(join(folder, "unwritable", "below"), { recursive: true });
  const log = createLog("log");
  const machine = createLog("machine");
  machine.append = () => createLog("unwritable").append({ type: "intent" } as never);
  const writes = new LoggedWrites(context, SCOPE, { machine, batch: { log, lock: HELD } });
  await expect(writes.begin(WRITE, () => true)).rejects.toMatchObject({ code: "write_log_unwritable" });
  expect(await listStates(log)).toEqual(["not sent"]);
});

it("nothing is written if another process took over the batch log, or the log changed", async () => {
  const { context, createLog, listStates } = setUp();
  const log = createLog("log");
  const lost = { ...HELD, requireHeld: () => Promise.reject(new Error("lost")) };
  const writes = new LoggedWrites(context, SCOPE, {
    machine: createLog("machine"),
    batch: { log, lock: lost },
  });
  await expect(writes.begin(WRITE, () => true)).rejects.toThrow("lost");
  expect(await writes.begin(WRITE, () => false)).toBe(false);
  expect([...(await listStates(log)), ...(await listStates(createLog("machine")))]).toEqual([]);
});
