import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/cli.ts";
import { findCommands, startMachineWithFolder as setUp, toEntryFile } from "../support/counted-machine.ts";
import {
  ACCEPT_AND_LOSE,
  ACCEPT_WITHOUT_ID,
  DROP,
  executeAndRespond,
  type Reaction,
  sendPage,
} from "../support/counting-service.ts";
import { batchArgs } from "../support/entry-folder.ts";
import { describeEachFirst } from "../support/large.ts";
import { submitArgs } from "../support/sandbox.ts";

const JOB = "00000000-0000-4000-8000-000000000001";

/** Responses after which only a person can say what happened, with and without keys. */
const DECISIONS: Record<string, Reaction> = {
  "accepted without a job id": ACCEPT_WITHOUT_ID,
  "accepted in another environment": executeAndRespond(
    202,
    {},
    { jobId: JOB, state: "queued", environment: "production" },
  ),
  "answered with a page": sendPage(200, true),
  "answered with 204": executeAndRespond(204, {}, ""),
  "answered with 202 and nothing": executeAndRespond(202, {}, ""),
  "answered with text": executeAndRespond(200, { "content-type": "text/plain" }, "thank you"),
};

/** Outcomes that are open only if the service keeps no keys. */
const UNKNOWN: Record<string, Reaction> = {
  "whose response was lost": ACCEPT_AND_LOSE,
  "answered with 502": executeAndRespond(502),
  "answered with 303": executeAndRespond(303, { location: "/jobs/1" }),
};

type Setting = Awaited<ReturnType<typeof setUp>>;

const COMMANDS: Record<string, (setting: Setting) => string[]> = {
  submit: ({ file }) => submitArgs(file),
  "submit --on-duplicate skip": ({ file }) => submitArgs(file, "--on-duplicate", "skip"),
  batch: ({ folder }) => batchArgs(folder),
  "batch --on-duplicate skip": ({ folder }) => batchArgs(folder, "--on-duplicate", "skip"),
};

async function expectOpenUntilResolved(setting: Setting, command: readonly string[]) {
  const { claims, file, history, service } = setting;
  for (const run of [1, 2, 3]) {
    const result = await claims(command);
    expect([run, result.code]).toEqual([run, 10]);
    const { rows } = await history("--unknown");
    expect(rows).toHaveLength(1);
    expect(result.stderr).toContain(`claims history resolve ${rows[0]?.key} --job-id`);
  }
  expect(service.begunUploads).toBe(1);
  // Every command that meets it, not only the one that sent it.
  for (const other of Object.values(COMMANDS)) expect((await claims(other(setting))).code).toBe(10);
  expect(service.begunUploads).toBe(1);

  const list = await claims(["history", "--unknown"]);
  expect(list.code).toBe(10);
  expect(list.stderr).not.toContain("--resend-unknown");
  const [resolve = []] = findCommands(list, "history resolve");
  const key = service.uploads[0]?.key ?? "";
  expect(resolve.slice(0, 3)).toEqual(["history", "resolve", key]);
  const resolved = await claims(["history", "resolve", key, "--job-id", JOB]);
  expect(resolved.code, resolved.stderr).toBe(0);
  expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
  const last = await claims(submitArgs(file, "--on-duplicate", "skip", "--json"));
  expect([last.code, last.stdout]).toEqual([0, expect.stringContaining(JOB)]);
  expect(service.begunUploads).toBe(1);
}

describeEachFirst(Object.entries(COMMANDS))("%s of a file that needs a decision", (_, toCommand) => {
  it.each(Object.entries(DECISIONS))("exits 10 until a person has made it: %s", async (_, reaction) => {
    for (const keepsKeys of [true, false]) {
      const setting = await setUp({ keepsKeys });
      setting.service.react(reaction);
      await expectOpenUntilResolved(setting, toCommand(setting));
    }
  });

  it.each(Object.entries(UNKNOWN))("exits 10 until a person has made it: %s", async (_, reaction) => {
    const setting = await setUp();
    setting.service.react(reaction);
    await expectOpenUntilResolved(setting, toCommand(setting));
  });
});

describe("a decision", () => {
  it("with --refused lets the next run send the file once", async () => {
    for (const toCommand of Object.values(COMMANDS)) {
      const setting = await setUp();
      const { claims, history, service } = setting;
      service.react(DROP);
      expect((await claims(toCommand(setting))).code).toBe(10);
      const key = service.uploads[0]?.key ?? "";
      expect((await claims(["history", "resolve", key, "--refused"])).code).toBe(0);
      expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
      expect((await claims(toCommand(setting))).code).toBe(0);
      expect(service.jobs).toHaveLength(1);
      expect(new Set(service.uploads.map((upload) => upload.key)).size).toBe(2);
    }
  });

  /** A machine with an open decision about its file, under the key. */
  async function setUpOpen() {
    const setting = await setUp();
    const { claims, file, history, service } = setting;
    service.react(ACCEPT_AND_LOSE);
    expect((await claims(submitArgs(file))).code).toBe(10);
    const key = (await history("--unknown")).rows[0]?.key ?? "";
    const resolve = (...outcome: string[]) => claims(["history", "resolve", key, ...outcome, "--json"]);
    return { ...setting, key, resolve };
  }

  it.each([[[]], [["--accepted", "--refused"]], [["--refused", "--job-id", "j-1"]]])(
    "needs exactly one outcome: %j",
    async (outcome) => {
      const { resolve } = await setUpOpen();
      expect(errorOf(await resolve(...outcome))).toMatchObject({ exitCode: 2, code: "missing_option" });
    },
  );

  it("is to forget keys, also from stdin, and none of them if one is not open", async () => {
    const { claims, history, key } = await setUpOpen();
    const mixed = await claims(["history", "forget", key, "no-such-key", "--json"]);
    expect(errorOf(mixed)).toMatchObject({ exitCode: 3, code: "unknown_key" });
    expect((await history("--unknown")).rows).toHaveLength(1);
    const { stdout } = await claims(["history", "--unknown", "-q"]);
    expect((await claims(["history", "forget", "-"], { input: stdout })).code).toBe(0);
    const again = errorOf(await claims(["history", "forget", key, "--json"]));
    expect(again).toMatchObject({ exitCode: 5, code: "outcome_known" });
    expect(again.message).toContain("forgotten");
  });

  it.each(["not a job/../x", "a/b", ".", "..", "a\nb", "J 1"])("refuses the job id %j", async (id) => {
    const { history, resolve } = await setUpOpen();
    const result = await resolve("--job-id", id);
    expect([result.code, errorOf(result).code]).toEqual([2, "invalid_id"]);
    expect((await history("--unknown")).rows).toHaveLength(1);
  });

  it("refuses the job of another file", async () => {
    const { claims, history, resolve, service, write } = await setUpOpen();
    expect((await claims(submitArgs(write("b.csv", toEntryFile(2))))).code).toBe(0);
    const [lost = { id: "" }, other = { id: "" }] = service.jobs;
    const result = await resolve("--job-id", other.id.toUpperCase());
    expect([result.code, errorOf(result).code]).toEqual([10, "job_id_reused"]);
    expect(errorOf(result).message).toContain("b.csv");
    expect((await history("--unknown")).rows).toHaveLength(1);
    expect((await resolve("--job-id", lost.id)).code).toBe(0);
  });

  it("replaces an earlier one of a person, and none of the service", async () => {
    const { claims, file, history, key, resolve, service } = await setUpOpen();
    const [{ id } = { id: "" }] = service.jobs;
    const wrongId = "00000000-0000-4000-8000-000000000099";
    const expectOutcome = async (outcome: string, jobId: string | null) =>
      expect((await history()).rows).toMatchObject([{ key, outcome, jobId }]);
    expect((await resolve("--job-id", wrongId)).code).toBe(0);
    await expectOutcome("accepted", wrongId);
    expect((await resolve("--refused")).code).toBe(0);
    await expectOutcome("refused", null);
    expect((await resolve("--accepted")).code).toBe(0);
    await expectOutcome("accepted, no id", null);
    expect((await resolve("--job-id", id)).code).toBe(0);
    await expectOutcome("accepted", id);
    const last = await claims(submitArgs(file, "--on-duplicate", "skip", "-q"));
    expect([last.code, last.stdout, service.begunUploads]).toEqual([0, `${id}\n`, 1]);
    expect((await claims(submitArgs(file, "--on-duplicate", "submit"))).code).toBe(0);
    const ofService = (await history()).rows[0]?.key ?? "";
    const refused = await claims(["history", "resolve", ofService, "--refused", "--json"]);
    expect([refused.code, errorOf(refused).code]).toEqual([5, "outcome_known"]);
  });

  it("by a path that has no ids of jobs records nothing", async () => {
    const setting = await setUp();
    const { claims, file, history, service, write } = setting;
    const respond = (body: unknown) => executeAndRespond(202, {}, body);
    const TENANT = { tenant: "T-1", message: "thank you, we have it" };
    service.react(respond(TENANT), respond(TENANT));
    for (const each of [file, write("b.csv", toEntryFile(2))])
      expect((await claims(submitArgs(each))).code).toBe(10);
    for (const [path, code] of [
      ["tenant", "job_id_reused"],
      ["message", "open_decisions"],
    ]) {
      const result = await claims(["history", "resolve", "--all", "--job-id-path", path ?? "", "--json"]);
      expect([result.code, errorOf(result).code]).toEqual([10, code]);
      expect((await history("--unknown")).rows).toHaveLength(2);
    }
  });

  it("is met only by runs that have the file", async () => {
    const setting = await setUp();
    const { claims, service, write } = setting;
    service.react(ACCEPT_WITHOUT_ID);
    expect((await claims(COMMANDS.submit?.(setting) ?? [])).code).toBe(10);
    expect((await claims(submitArgs(write("b.csv", toEntryFile(2))))).code).toBe(0);
  });

  it("does not stop the other files of a batch, in each of its runs", async () => {
    const { batch, folder, service } = await setUp();
    for (const number of [2, 3]) writeFileSync(join(folder, `${number}.csv`), toEntryFile(number));
    service.react(ACCEPT_WITHOUT_ID);
    for (const _ of [1, 2, 3]) {
      expect((await batch(folder)).code).toBe(10);
      expect(service.jobs).toHaveLength(3);
    }
    expect(service.begunUploads).toBe(3);
  });
});

describe("another write that needs a decision", () => {
  const CREATE = ["clients", "create", "--name", "A client", "--importer-number", "98-7654321"];

  it("is not sent again, and names what it was about: a job, or the path of the request", async () => {
    const cases = [
      {
        args: ["diligence", "resume", JOB],
        about: JOB,
        jobId: JOB,
        hint: `look at job ${JOB} on the service`,
      },
      { args: ["api", "POST", "/v1/clients", "-f", "name=A"], about: "POST /v1/clients", jobId: null },
      { args: CREATE, about: "clients.create", jobId: null },
    ];
    for (const { about, args, hint = "ask the service whether it has it", jobId } of cases) {
      const { claims, service } = await setUp();
      service.react(ACCEPT_AND_LOSE);
      await claims(args);
      const again = errorOf(await claims([...args, "--json"]));
      expect([again.exitCode, service.begunUploads]).toEqual([10, 1]);
      const list = await claims(["history", "--unknown", "--json"]);
      for (const error of [again, errorOf(list)])
        expect(error).toMatchObject({
          message: expect.stringContaining(about),
          hint: expect.stringContaining(hint),
          jobId,
        });
      expect(JSON.parse(list.stdout)).toMatchObject([{ jobId }]);
      expect((await claims(["history", "--unknown"])).stdout).toContain(about);
    }
  });
});
