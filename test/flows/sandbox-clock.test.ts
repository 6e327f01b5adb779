import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, runCli } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { entriesCsv, scriptedEntryNumber } from "../support/sandbox-requests.ts";

describe("sandbox clock", () => {
  it("shows the time, advances it, and lists the tasks that ran", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--frozen", "--at", GOLDEN_TIME);
    const runSandbox = (...args: string[]) => runCli(["sandbox", ...args], { env });
    expect(JSON.parse((await runSandbox("clock", "show", "--json")).stdout)).toEqual({
      now: "2026-11-20T00:00:00.000Z",
      frozen: true,
    });
    const job = await runCli([...submitArgs("-"), "-q"], {
      env,
      input: entriesCsv([scriptedEntryNumber("4")]),
    });
    const id = job.stdout.trim();
    expect((await runSandbox("agenda")).stdout).toBe(`2026-11-20T00:00:30.000Z\tjob.finish\t${id}\n`);
    expect((await runSandbox("agenda", "-q")).stdout).toBe(`${id}\n`);

    const advanced = await runSandbox("clock", "advance", "--to", "next", "--json");
    expect(advanced.code).toBe(0);
    expect(JSON.parse(advanced.stdout)).toEqual([
      { dueAt: "2026-11-20T00:00:30.000Z", kind: "job.finish", subject: id },
    ]);
    expect(advanced.stderr).toContain("the clock moved 30 s, to 2026-11-20 00:00 UTC; 1 task ran");
    const second = await runSandbox("clock", "advance", "3d2h");
    expect(second.stdout).toBe("");
    expect(second.stderr).toContain("the clock moved 3 d 2 h, to 2026-11-23 02:00 UTC; no task ran");
    expect((await runSandbox("clock", "show", "-q")).stdout).toBe("2026-11-23T02:00:30.000Z\n");
    expect(JSON.parse((await runSandbox("agenda", "--json")).stdout)).toEqual([]);
    for (const word of ["idle", "next", "2026-11-24T00:00:00Z"])
      expect((await runSandbox("clock", "advance", word)).code).toBe(0);
    expect((await runSandbox("clock", "show", "-q")).stdout).toBe("2026-11-24T00:00:00.000Z\n");
  });

  it("reports invalid targets, a wrong control token and a missing sandbox", async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    const advanceForError = async (...args: string[]) =>
      errorOf(await runCli(["sandbox", "clock", "advance", ...args, "--json"], { env }));
    for (const args of [[], ["1d", "--to", "next"], ["tomorrow"]])
      expect(await advanceForError(...args)).toMatchObject({ code: "option_invalid", exitCode: 2 });
    const times = ["2020-01-01T00:00:00Z", "2027-02-30T00:00:00Z", "9999-12-31T23:59:59Z", "9999999d"];
    for (const to of times)
      expect(await advanceForError("--to", to)).toMatchObject({ code: "validation_failed", exitCode: 5 });
    expect(sandbox.clock.now()).toBe("2026-11-20T00:00:00.000Z");
    expect(await advanceForError("--to", "soon")).toMatchObject({
      hint: expect.stringContaining("give a duration"),
    });

    const other = { ...env, CLAIMS_CONTROL_TOKEN: "of-another-sandbox" };
    const error = errorOf(await runCli(["sandbox", "agenda", "--json"], { env: other }));
    expect(error).toMatchObject({ code: "control_token_invalid", exitCode: 4 });
    expect(error.hint).toContain("claims sandbox env");
    const incomplete = { ...env, CLAIMS_CONTROL_TOKEN: "" };
    expect(errorOf(await runCli(["sandbox", "agenda", "--json"], { env: incomplete }))).toMatchObject({
      code: "missing_option",
      exitCode: 2,
    });
    const none = await runCli(["sandbox", "agenda", "--json"]);
    expect(errorOf(none)).toMatchObject({ code: "no_sandbox", exitCode: 3 });
  });
});

it("sandbox clock freeze and unfreeze freezes and unfreezes the clock", async () => {
  const env = controlEnvironmentOf(await sandboxForTest());
  const clock = async (...args: string[]) => runCli(["sandbox", "clock", ...args], { env });
  expect(JSON.parse((await clock("unfreeze", "--json")).stdout)).toMatchObject({ frozen: false });
  const frozen = JSON.parse((await clock("freeze", "--json")).stdout);
  expect(frozen).toMatchObject({ frozen: true });
  expect(JSON.parse((await clock("show", "--json")).stdout)).toEqual(frozen);
});
