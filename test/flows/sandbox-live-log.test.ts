import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, startCli } from "../support/cli.ts";
import { submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** `claims sandbox up` on a terminal, with the keys of a person. */
async function upOnTerminal(...options: string[]) {
  const keys = new PassThrough();
  const stop = new AbortController();
  const browser = { isInstalled: true, opened: [] as string[] };
  const terminal = createTerminalContext({
    stdin: { readable: keys, isTerminal: true },
    signal: stop.signal,
    start({ args: [url = ""] }) {
      if (browser.isInstalled) browser.opened.push(url);
      const ended = browser.isInstalled ? Promise.resolve({ code: 0 }) : Promise.reject(new Error("ENOENT"));
      return { pid: 0, ended, kill() {}, unref() {} };
    },
  });
  Object.assign(terminal.context.stdout, { columns: 80 });
  const completion = terminal.run("sandbox", "up", "--port", "0", "--no-color", ...options);
  onTestFinished(async () => {
    stop.abort("SIGTERM");
    await completion;
  });
  const screen = () => terminal.stdout.text;
  await expect.poll(screen).toMatch(/Sandbox ready at \S+/);
  const [, url = ""] = /Sandbox ready at (\S+)/.exec(screen()) ?? [];
  const { env } = terminal.context as { readonly env: Record<string, string> };
  /** Waits until a text is there. */
  const shows = (text: string | RegExp) => expect.poll(screen).toMatch(text);
  return { env, screen, shows, completion, url, browser, press: (key: string) => void keys.write(key) };
}

const SECRET = /(sk|cs|at)_(sandbox|production)_|whsec_/;

describe("sandbox up on a terminal", () => {
  it("shows requests with reasons, attempts and a status row, and obeys keys", async () => {
    const { screen, shows, completion, url, press } = await upOnTerminal(
      "--frozen",
      "--at",
      "2026-11-20T00:00:00Z",
    );
    await shows("clock frozen at 2026-11-20 00:00 UTC · no state file · no faults · ? for keys");
    await fetch(`${url}/v1/clients`);
    await shows(/00:00:00 401 +[\d.]+ ms #1 +GET +\/v1\/clients\s+The request has no credential\./);
    press("e");
    await shows(/00:00:00 200 +\d+ ms +event +partner\.test to\s+http:\S+\/sink\/default\s+attempt 1\n/);
    press("?");
    await shows("  q  quit, as Ctrl-C does\n");
    press("f");
    await shows("no fault; `claims sandbox faults add flaky` adds one\n");
    press("n");
    await shows("nothing is due\n");
    press("s");
    await shows("no state file: start the sandbox with --state FILE\n");
    press("r");
    await shows("reset to the state of the start\n");
    press("q");
    expect(await completion).toBe(0);
    expect(screen()).not.toMatch(SECRET);
    expect(screen()).toMatch(/\r\u001b\[2K$/);
  });

  it("shows each state of a job, in lines of 80 columns that end between words", async () => {
    const { env, screen, shows } = await upOnTerminal("--job-speed", "real", "--sandbox-name", "jobs");
    const named = { ...env, CLAIMS_SANDBOX_NAME: "jobs" };
    await runCli(submitArgs(fixture("sample_es003.csv"), "--wait"), { env: named });
    await shows(/\d\d:\d\d:\d\d job +run 1 +8a9c6ea1… {2}processing\n[\s\S]+8a9c6ea1… {2}completed\n/);
    await runCli(["claims", "status", "9b4ce59b-19a4-4f24-8942-5fa79a756aa8"], { env: named });
    await shows(/status\?claimId=9b4ce59b…\n {35}partner 1, sandbox; There is no claim\n {35}9b4c/);
    const lines = screen()
      .replaceAll(/\r\u001b\[2K|clock [^\n]*keys/g, "")
      .split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(screen()).toContain(
      "claims sandbox inspect --open                    the same in a browser (key o)\n",
    );
  });

  it("opens the inspector with o, and prints the URL for a machine without a browser", async () => {
    const { screen, shows, browser, press } = await upOnTerminal();
    press("?");
    await shows("  o  open the inspector in the browser\n");
    press("o");
    await shows(/opened\s+http:\/\/\S+\/_sandbox\/ui\/tickets\/[0-9a-f]{48}\n/);
    const [opened = ""] = browser.opened;
    expect(screen()).toContain(`${opened}\n`);
    expect((await fetch(opened, { redirect: "manual" })).status).toBe(303);
    browser.isInstalled = false;
    press("o");
    await shows(/no browser was opened: \S+ is not installed; open\s+http:\/\/\S+\/tickets\/[0-9a-f]{48}\n/);
  });

  it("shows when the next attempt of a delivery is due, and which rule made a request fail", async () => {
    const { env, shows, url } = await upOnTerminal("--sandbox-name", "live", "--webhook-retries", "0,1h");
    const control = async (...args: string[]) => {
      const { code, stdout } = await runCli(["sandbox", ...args, "--sandbox-name", "live", "--json"], {
        env,
      });
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const { CLAIMS_API_KEY: key } = await control("env");
    const endpoint = {
      url: "http://127.0.0.1:1/hook",
      label: "closed",
      subscribedEvents: ["claim.updated"],
      environmentScope: "all",
    };
    await fetch(`${url}/v1/webhooks/endpoints`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(endpoint),
    });
    await control("emit", "claim.updated");
    // From 23:00 on, the next attempt is on another day.
    await shows(
      /– +\d+ ms +event +claim\.updated to http:\/\/127\.0\.0\.1:1\/hook\s+attempt 1\s+nothing listens at 127\.0\.0\.1:1; next at\s+(\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d UTC)\n/,
    );
    await control("faults", "add", "--status", "503");
    await fetch(`${url}/v1/clients`);
    await shows("fault: rule 1: 503 before the work\n");
    await shows("no state file · 1 fault in force");
  });

  it.each([["--quiet"], ["--json"]])("shows no log with %s", async (option) => {
    const stop = new AbortController();
    const terminal = createTerminalContext({ signal: stop.signal });
    const completion = terminal.run("sandbox", "up", "--port", "0", option);
    await expect.poll(() => terminal.stdout.text).toMatch(/http:\/\/\S+\d/);
    const [url = ""] = /http:\/\/[\d.:]+/.exec(terminal.stdout.text) ?? [];
    const before = terminal.stdout.text;
    await fetch(`${url}/v1/clients`);
    stop.abort("SIGTERM");
    expect(await completion).toBe(0);
    expect(terminal.stdout.text).toBe(before);
  });
});

describe("sandbox up in a pipe", () => {
  it("prints where it is, without credentials and without a log", async () => {
    const { completion, stop, waitForOutput } = startCli(["sandbox", "up", "--port", "0"]);
    const [, url] = await waitForOutput(/Sandbox ready at (\S+)[\s\S]*\n {2}claims sandbox down.*\n/);
    await fetch(`${url}/v1/clients`);
    stop("SIGTERM");
    const { stdout } = await completion;
    expect(stdout).not.toMatch(SECRET);
    expect(stdout).not.toContain("GET");
  });

  it("prints requests and attempts as JSON with --log", async () => {
    const env = bareEnvironment();
    const up = startCli(["sandbox", "up", "--port", "0", "--log"], { env });
    const [line] = await up.waitForOutput(/^\{"event":"ready".*\}\n/);
    const { url, ...ready } = JSON.parse(line);
    expect(Object.keys(ready)).toEqual(["event", "pid"]);
    await fetch(`${url}/v1/clients`);
    await up.waitForOutput(/"event":"request".*\n/);
    expect((await runCli(["sandbox", "emit", "partner.test"], { env })).code).toBe(0);
    await up.waitForOutput(/"event":"attempt".*\n/);
    up.stop("SIGTERM");
    const { code, stdout } = await up.completion;
    expect(code).toBe(0);
    const [, request, attempt] = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(request).toMatchObject({ event: "request", number: 1, status: 401, target: "/v1/clients" });
    expect(attempt).toMatchObject({
      event: "attempt",
      eventType: "partner.test",
      number: 1,
      responseStatus: 200,
    });
    expect(stdout).not.toMatch(SECRET);
  });

  it("refuses a log that nobody can read", async () => {
    const result = await runCli(["sandbox", "up", "--detach", "--log", "--json"]);
    expect(result.code).toBe(2);
    expect(errorOf(result).message).toBe("--log and --detach exclude each other");
  });
});
