import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ConformanceReport } from "../../src/conformance/report.ts";
import { verify } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { listenForDeliveries } from "../support/receivers/listen.ts";
import { createTerminalContext } from "../support/terminal.ts";

const SECRETS = ["whsec_of_before_the_rotation", "whsec_of_after_the_rotation"];

interface Received {
  readonly isGenuine: boolean;
  readonly event: { readonly id: string; readonly type: string; readonly createdAt: string };
  readonly header: string | undefined;
  readonly process: () => void;
  /** Whether the event was processed before. */
  readonly isKnown: boolean;
}

type Respond = (received: Received) => number | Promise<number>;

const respondWell: Respond = ({ isGenuine, event, header, isKnown, process }) => {
  if (!isGenuine) return 401;
  if (header !== event.type) return 400;
  if (!isKnown) process();
  return 204;
};

/** Starts a receiver that counts processed events at /effects. */
async function startReceiver(respond: Respond): Promise<{ hook: string; effects: string }> {
  const processed: string[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET") return response.end(JSON.stringify({ processed: processed.length }));
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const { headers } = request;
    const checks = { secrets: SECRETS, headers, body, now: Date.now(), toleranceSeconds: 300 };
    const event = JSON.parse(body.toString("utf8"));
    const header = headers["x-service-event"] as string | undefined;
    const status = await respond({
      event,
      header,
      isGenuine: verify(checks).verdict === "valid",
      isKnown: processed.includes(event.id),
      process: () => processed.push(event.id),
    });
    return response.writeHead(status).end();
  };
  const hook = await listenForDeliveries((request, response) => void receive(request, response));
  return { hook, effects: hook.replace("/hook", "/effects") };
}

function setUp() {
  const cwd = temporaryFolder();
  for (const [index, secret] of SECRETS.entries())
    writeFileSync(join(cwd, `secret-${index}.txt`), secret, { mode: 0o600 });
  const both = ["--secret-file", "secret-0.txt", "--secret-file", "secret-1.txt"];
  const run = (...args: string[]) => runCli(["conformance", ...args], { cwd, env: bareEnvironment() });
  const grade = async (hook: string, ...args: string[]) => {
    const result = await run("--receiver", hook, ...both, "--json", ...args);
    expect(result.stdout, result.stderr).not.toBe("");
    const report: ConformanceReport = JSON.parse(result.stdout);
    const list = (verdict: string) =>
      report.rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
    return { ...result, report, list };
  };
  return { cwd, run, grade };
}

describe("conformance --receiver", () => {
  it("fails no rule of a good receiver", async () => {
    const { hook, effects } = await startReceiver(respondWell);
    const { code, report, list, stderr } = await setUp().grade(hook, "--effects-url", effects);
    expect([list("fail"), list("untouched")]).toEqual([[], []]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(report).toMatchObject({
      verdict: "passes",
      subject: { mode: "receiver", command: [hook], seed: null },
    });
    expect(report.scenarios).toContainEqual({ id: "drill.burst", requests: 200, runs: [] });
  });

  it("proves with --effects-url that an event is processed twice, and does not guess without", async () => {
    const { hook, effects } = await startReceiver((received) => respondWell({ ...received, isKnown: false }));
    const { grade } = setUp();
    const only = ["--only", "receiver.processed_once"];
    const proved = await grade(hook, ...only, "--effects-url", effects);
    expect(proved.list("fail")).toEqual(["receiver.processed_once"]);
    expect(proved.report.rules[0]).toMatchObject({
      basis: "assumed",
      findings: [{ evidence: expect.stringContaining("the counter rose by 2 for one event") }],
      repeat: expect.stringContaining(`--effects-url ${effects}`),
    });
    const { report, list } = await grade(hook, ...only);
    expect(list("untouched")).toEqual(["receiver.processed_once"]);
    expect(report.rules[0]?.reason).toContain("give --effects-url");
  });

  it.each<[string, string, Respond]>([
    [
      "refuses old payloads",
      "receiver.late_retry",
      (received) =>
        Date.parse(received.event.createdAt) < Date.now() - 86_400_000 ? 400 : respondWell(received),
    ],
    [
      "allows 100 deliveries a minute",
      "receiver.burst",
      (() => {
        let count = 0;
        return (received: Received) => {
          count += 1;
          return count > 100 ? 429 : respondWell(received);
        };
      })(),
    ],
    [
      "refuses what it has processed",
      "receiver.duplicate",
      (received) => (received.isGenuine && received.isKnown ? 409 : respondWell(received)),
    ],
  ])("fails exactly the rule of a receiver that %s", async (_, rule, respond) => {
    const { hook } = await startReceiver(respond);
    const kept = ["receiver.late_retry", "receiver.out_of_order", "receiver.key"];
    const only = [...kept, rule].flatMap((id) => ["--only", id]);
    const { code, list } = await setUp().grade(hook, ...only);
    expect([list("fail"), list("untouched")]).toEqual([[rule], []]);
    expect(code).toBe(0);
  });

  it("fails a receiver that does not verify, with statement and fix", async () => {
    const { hook } = await startReceiver((received) => respondWell({ ...received, isGenuine: true }));
    const { cwd, grade } = setUp();
    const files = ["report.xml", "report.md"].flatMap((file) => ["--report", file]);
    const { code, report, list } = await grade(hook, "--only", "receiver.key", ...files);
    expect([code, list("fail")]).toEqual([7, ["receiver.key"]]);
    expect(report.rules[0]).toMatchObject({
      statement: "§6: The HMAC-SHA256 of the base string is keyed with the endpoint's signingSecret.",
      fix: expect.stringContaining("signingSecret"),
      repeat: `claims conformance --receiver ${hook} --only receiver.key --secret-file secret-0.txt --secret-file secret-1.txt`,
    });
    expect(readFileSync(join(cwd, "report.xml"), "utf8")).toContain("<failure");
    expect(readFileSync(join(cwd, "report.md"), "utf8")).toContain("| **fails** | `receiver.key` |");
    expect(readFileSync(join(cwd, "report.md"), "utf8")).not.toContain(SECRETS[0]);
  });

  it("fails a receiver that does not respond in time, and stops", async () => {
    const { hook } = await startReceiver(() => new Promise(() => {}));
    const { code, report, list } = await setUp().grade(hook, "--timeout", "50ms");
    expect(code).toBe(7);
    expect(list("pass")).toEqual([]);
    const late = report.rules.find(({ id }) => id === "receiver.response_time");
    expect(late?.findings[0]?.evidence).toBe("3 of 3 deliveries without a response within 0.05 s");
    expect(report.rules.find(({ id }) => id === "receiver.burst")?.reason).toContain("did not respond");
  });

  it("prints rules, failures and reasons on a terminal", async () => {
    const { hook } = await startReceiver(respondWell);
    const { cwd } = setUp();
    const terminal = createTerminalContext({ cwd });
    const args = ["--receiver", hook, "--secret-file", "secret-0.txt", "--only", "receiver.rotation"];
    expect(await terminal.run("conformance", ...args, "--no-color")).toBe(7);
    expect(terminal.stdout.text).toMatch(/· +receiver\.rotation +untouched +accepts both secrets/);
    expect(terminal.stdout.text).toMatch(
      /^Untouched or not run$\n.*receiver\.rotation +not sent: give a second/m,
    );
    expect(terminal.stdout.text).toMatch(/^Deliveries to the receiver$[\s\S]*probe\.raw +1$/m);
  });

  it("needs a running receiver", async () => {
    const result = await setUp().run(
      "--receiver",
      "http://127.0.0.1:9/hook",
      "--secret-file",
      "secret-0.txt",
    );
    expect([result.code, result.stdout]).toEqual([6, ""]);
  });

  it.each([
    ["a program", ["--", "true"], "option_conflict"],
    ["a seed", ["--seed", "7"], "option_conflict"],
    ["a third secret", ["--secret-file", "secret-1.txt"], "multiple_secrets"],
    ["a rule for programs", ["--only", "submit.lost_answer"], "unknown_rule"],
    ["a URL that is none", ["--effects-url", "counter"], "invalid_target"],
  ])("does not go with %s", async (_, args, code) => {
    const { run } = setUp();
    const both = ["--secret-file", "secret-0.txt", "--secret-file", "secret-1.txt"];
    const result = await run("--receiver", "http://127.0.0.1:9/hook", ...both, "--json", ...args);
    expect([result.code, errorOf(result).code]).toEqual([2, code]);
  });

  it("is needed for the options of receivers, and for their rules", async () => {
    const { run } = setUp();
    const options = await run("--effects-url", "http://127.0.0.1:9", "--json", "--", "true");
    expect(errorOf(options)).toMatchObject({ code: "option_conflict" });
    const rules = await run("--only", "receiver.burst", "--json", "--", "true");
    expect(errorOf(rules)).toMatchObject({
      code: "unknown_rule",
      hint: expect.stringContaining("--receiver"),
    });
  });

  it("refuses a counter that is no number", async () => {
    const { hook } = await startReceiver(respondWell);
    const text = await listenForDeliveries((_, response) => response.end('{"a":1,"b":2}'));
    const { run } = setUp();
    const args = ["--receiver", hook, "--secret-file", "secret-0.txt", "--effects-url", text, "--json"];
    const result = await run(...args);
    expect([result.code, errorOf(result).code]).toEqual([5, "invalid_effects_counter"]);
  });
});
