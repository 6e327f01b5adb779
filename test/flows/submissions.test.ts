import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const JOB = "7d9c0000-1111-4222-8333-444455556666";

const accept: Script = (_, response) => sendJson(response, 202, { jobId: JOB });
const sendPage: Script = (_, response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<title>Log in</title>");
const loseResponse: Script = (request) => void request.socket.destroy();
const refuseForNow: Script = (_, response) => sendJson(response, 429, {}, { "retry-after": "1" });

/** The three commands that submit, each with the same file. */
const COMMANDS = ["submit", "batch", "learn"] as const;

function argsOf(command: (typeof COMMANDS)[number], file: string): readonly string[] {
  if (command === "submit") return ["diligence", "submit", file];
  return command === "batch"
    ? ["diligence", "batch", dirname(file)]
    : ["mapping", "learn", "--submit", file, "--set", "submitted.id=jobId", "--set", "job.state=state"];
}

/** A service that responds so to submissions, and knows every job. */
async function setUp(content: Uint8Array | string, respond: Script) {
  const responder = { respond };
  const { env, requests } = await startScriptedService((request, response, count) => {
    if (request.method === "POST") return responder.respond(request, response, count);
    if (request.url?.includes("/diligence/status/")) return sendJson(response, 200, { state: "completed" });
    return sendJson(response, 404, {});
  });
  const folder = join(temporaryFolder(), "entries");
  mkdirSync(folder);
  const file = join(folder, "entries.csv");
  writeFileSync(file, content);
  const run = async (command: (typeof COMMANDS)[number], ...more: readonly string[]) => {
    const args = [...argsOf(command, file), "--seller-name", "Acme", ...more];
    const { code, stderr, stdout } = await runCli(args, { env, cwd: folder });
    return { code, output: stderr + stdout };
  };
  const history = async (...filter: string[]): Promise<readonly { readonly jobId: string | null }[]> =>
    JSON.parse((await runCli(["history", "--submissions", ...filter, "--json"], { env })).stdout);
  return {
    env,
    history,
    responder,
    run,
    countPosts: () => requests.filter(({ method }) => method === "POST").length,
  };
}

const ENTRIES = readFileSync(fixture("scenario_partial.csv"));

describe.each(COMMANDS)("a submission by the command %s", (command) => {
  it("is sent once, and logged with its job id", async () => {
    const { countPosts, history, run } = await setUp(ENTRIES, accept);
    const { code, output } = await run(command);
    expect([code, countPosts()], output).toEqual([0, 1]);
    expect(await history()).toMatchObject([{ jobId: JOB }]);
  });

  it("of an equal file is not sent with --on-duplicate fail, and is its job with skip", async () => {
    const { countPosts, run } = await setUp(ENTRIES, accept);
    await run("submit");
    const failed = await run(command, "--on-duplicate", "fail");
    expect([failed.code, countPosts()], failed.output).toEqual([5, 1]);
    expect(failed.output).toContain(JOB);
    const skipped = await run(command, "--on-duplicate", "skip");
    expect([skipped.code, countPosts()], skipped.output).toEqual([0, 1]);
  });

  it("of an equal file is sent with --on-duplicate submit", async () => {
    const { countPosts, run } = await setUp(ENTRIES, accept);
    await run("submit");
    expect(await run(command, "--on-duplicate", "submit")).toMatchObject({ code: 0 });
    expect(countPosts()).toBe(2);
  });

  it("of a file that is being sent waits for its job with skip, and is not sent with fail", async () => {
    let release = () => {};
    const { countPosts, responder, run } = await setUp(ENTRIES, (request, response, count) => {
      release = () => accept(request, response, count);
    });
    const first = run("submit");
    await expect.poll(countPosts).toBe(1);
    responder.respond = accept;
    const failed = await run(command, "--on-duplicate", "fail");
    expect([failed.code, countPosts()], failed.output).toEqual([5, 1]);
    const skipped = run(command, "--on-duplicate", "skip");
    release();
    expect((await first).code).toBe(0);
    const { code, output } = await skipped;
    expect([code, countPosts()], output).toEqual([0, 1]);
  });

  it("after a login page has an unknown outcome, and is not sent again", async () => {
    const { countPosts, history, responder, run } = await setUp(ENTRIES, sendPage);
    const first = await run(command);
    expect([first.code, countPosts()], first.output).toEqual([10, 1]);
    expect(first.output).toContain("Log in");
    expect(await history("--unknown")).toHaveLength(1);
    responder.respond = accept;
    const again = await run(command);
    expect([again.code, countPosts()], again.output).toEqual([10, 1]);
  });

  it("of a file that is no table is refused before it is sent", async () => {
    const { countPosts, history, run } = await setUp("%PDF-1.7\n\0\u0001", accept);
    const { code, output } = await run(command);
    expect([code, countPosts()], output).toEqual([5, 0]);
    expect(await history()).toEqual([]);
  });

  it("in production needs --yes", async () => {
    const { countPosts, history, run } = await setUp(ENTRIES, accept);
    const { code, output } = await run(command, "--environment", "production");
    expect([code, countPosts()], output).toEqual([4, 0]);
    expect(await history()).toEqual([]);
    // Learning never writes in production.
    if (command !== "learn")
      expect(await run(command, "--environment", "production", "--yes")).toMatchObject({ code: 0 });
  });

  it("whose response is lost has an unknown outcome", async () => {
    const { countPosts, history, run } = await setUp(ENTRIES, loseResponse);
    const { code, output } = await run(command);
    // No document of this service lists Idempotency-Key.
    expect([code, countPosts()], output).toEqual([10, 1]);
    expect(await history("--unknown")).toHaveLength(1);
  });

  it("is not sent if the connection is refused, and can be repeated", async () => {
    const { env, history, run } = await setUp(ENTRIES, accept);
    env.CLAIMS_BASE_URL = "http://127.0.0.1:9";
    const { code, output } = await run(command);
    expect(code, output).toBe(6);
    expect(await history("--unknown")).toEqual([]);
  });

  it("is not accepted if the service answers 429 until the end, and can be repeated", async () => {
    const { countPosts, history, run } = await setUp(ENTRIES, refuseForNow);
    const { code, output } = await run(command);
    expect(code, output).toBe(6);
    // Learning ends with the first 429: it only asks.
    if (command === "learn") expect(countPosts()).toBe(1);
    else expect(countPosts()).toBeGreaterThan(1);
    expect(await history("--unknown")).toEqual([]);
  });
});
