import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, runCli, runProcess } from "../support/cli.ts";
import { GOLDEN_TIME, sandboxForTest, startSandboxUp, submitArgs } from "../support/sandbox.ts";
import { entriesCsv, scriptedEntryNumber } from "../support/sandbox-requests.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** What `sandbox env` sets for the control API of a sandbox in this process. */
const controlling = (sandbox: { readonly url: string; readonly controlToken: string }) => ({
  ...bareEnvironment(),
  CLAIMS_CONTROL_URL: `${sandbox.url}/_sandbox`,
  CLAIMS_CONTROL_TOKEN: sandbox.controlToken,
});

describe("sandbox clock", () => {
  it("shows the time, moves it, and lists the tasks that ran", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--frozen", "--at", GOLDEN_TIME);
    const ask = (...args: string[]) => runCli(["sandbox", ...args], { env });
    expect(JSON.parse((await ask("clock", "show", "--json")).stdout)).toEqual({
      now: "2026-11-20T00:00:00.000Z",
      frozen: true,
    });
    const job = await runCli([...submitArgs("-"), "-q"], {
      env,
      input: entriesCsv([scriptedEntryNumber("4")]),
    });
    const id = job.stdout.trim();
    expect((await ask("agenda")).stdout).toBe(`2026-11-20T00:00:30.000Z\tjob.finish\t${id}\n`);
    expect((await ask("agenda", "-q")).stdout).toBe(`${id}\n`);

    const advanced = await ask("clock", "advance", "--to", "next", "--json");
    expect(advanced.code).toBe(0);
    expect(JSON.parse(advanced.stdout)).toEqual([
      { dueAt: "2026-11-20T00:00:30.000Z", kind: "job.finish", subject: id },
    ]);
    expect(advanced.stderr).toContain(
      "the clock went from 2026-11-20T00:00:00.000Z to 2026-11-20T00:00:30.000Z (30 s); 1 task ran",
    );
    const further = await ask("clock", "advance", "3d2h");
    expect(further.stdout).toBe("");
    expect(further.stderr).toContain("(3 d 2 h); no task ran");
    expect((await ask("clock", "show", "-q")).stdout).toBe("2026-11-23T02:00:30.000Z\n");
    expect(JSON.parse((await ask("agenda", "--json")).stdout)).toEqual([]);
    for (const word of ["idle", "next", "2026-11-24T00:00:00Z"])
      expect((await ask("clock", "advance", word)).code).toBe(0);
    expect((await ask("clock", "show", "-q")).stdout).toBe("2026-11-24T00:00:00.000Z\n");
  });

  it("finds the sandbox by the variables of `exec`; --name has precedence", async () => {
    const sandbox = await sandboxForTest();
    const env = controlling(sandbox);
    expect((await runCli(["sandbox", "clock", "advance", "1h"], { env })).code).toBe(0);
    expect(sandbox.clock.now()).toBe("2026-11-20T01:00:00.000Z");
    const named = await runCli(["sandbox", "clock", "show", "--name", "other", "--json"], { env });
    expect(errorOf(named)).toMatchObject({ code: "no_sandbox", exitCode: 3 });
    const inside = await runProcess(
      ["sandbox", "exec", "--frozen", "--at", GOLDEN_TIME, "--", "claims", "sandbox", "clock", "show", "-q"],
      { env: bareEnvironment() },
    );
    expect(inside.stdout).toBe("2026-11-20T00:00:00.000Z\n");
  });

  it("prints errors with hints", async () => {
    const sandbox = await sandboxForTest();
    const env = controlling(sandbox);
    const wrong = async (...args: string[]) =>
      errorOf(await runCli(["sandbox", "clock", "advance", ...args, "--json"], { env }));
    expect(await wrong()).toMatchObject({ code: "invalid_advance_target", exitCode: 2 });
    expect(await wrong("1d", "--to", "next")).toMatchObject({ code: "invalid_advance_target", exitCode: 2 });
    expect(await wrong("tomorrow")).toMatchObject({ code: "invalid_duration", exitCode: 2 });
    expect(await wrong("--to", "2020-01-01T00:00:00Z")).toMatchObject({
      code: "validation_failed",
      exitCode: 5,
    });
    expect(await wrong("--to", "soon")).toMatchObject({ hint: expect.stringContaining("give a duration") });

    const other = { ...env, CLAIMS_CONTROL_TOKEN: "of-another-sandbox" };
    const refused = errorOf(await runCli(["sandbox", "agenda", "--json"], { env: other }));
    expect(refused).toMatchObject({ code: "control_token_invalid", exitCode: 4 });
    expect(refused.hint).toContain("claims sandbox env");
    const half = { ...env, CLAIMS_CONTROL_TOKEN: "" };
    expect(errorOf(await runCli(["sandbox", "agenda", "--json"], { env: half }))).toMatchObject({
      code: "control_incomplete",
      exitCode: 2,
    });
    const none = await runCli(["sandbox", "agenda", "--json"]);
    expect(errorOf(none)).toMatchObject({ code: "no_sandbox", exitCode: 3 });
  });

  it("prints due times in words on a terminal", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const env = { ...controlling(sandbox), CLAIMS_BASE_URL: sandbox.url };
    await runCli([...submitArgs("-")], {
      env: { ...env, CLAIMS_API_KEY: sandbox.credentials.sandbox.apiKey },
      input: entriesCsv([scriptedEntryNumber("4")]),
    });
    const person = createTerminalContext({ env });
    expect(await person.run("sandbox", "agenda", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(
      /^due +task +subject\n(now|in \d+ (ms|s)) +job\.\w+ +[0-9a-f-]{36}\n$/,
    );
  });
});
