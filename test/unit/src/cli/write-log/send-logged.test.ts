import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { logAndSend } from "../../../../../src/cli/write-log/send-logged.ts";
import { WriteLog } from "../../../../../src/cli/write-log/write-log.ts";
import { describeStatus, toWriteRecords } from "../../../../../src/cli/write-log/write-record.ts";
import { temporaryFolder } from "../../../../support/cli.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

it("logAndSend records a write as not sent if another write log is not writable", async () => {
  const folder = temporaryFolder();
  const { context } = createTerminalContext();
  const createLog = (name: string) => new WriteLog(join(folder, name), context, { name, hint: "" });
  mkdirSync(join(folder, "unwritable"));
  const log = createLog("log");
  const write = {
    ...{ operation: "diligence.submit", content: "c", seller: "s", file: "f", bytes: 1, key: "k" },
    ...{ baseUrl: "http://x", environment: "sandbox", jobId: null },
  };
  const send = () => Promise.reject(new Error("was sent"));
  await expect(logAndSend(context, [log, createLog("unwritable")], write, send)).rejects.toMatchObject({
    code: "write_log_unwritable",
  });
  const own = { ...context.processes.own, pid: context.processes.own.pid + 1 };
  const later = { processes: { ...context.processes, own, statusOf: () => "dead" as const } };
  expect(toWriteRecords(await log.read()).map((entry) => describeStatus(entry, later))).toEqual(["not sent"]);
});
