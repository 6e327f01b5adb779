import { Buffer } from "node:buffer";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, runCli } from "../support/cli.ts";
import {
  BODY,
  parseEvents,
  post,
  SECRET,
  setUpListener as setUp,
  signHeaders,
  WITH_SECRET,
} from "../support/listener.ts";
import { startReceiver } from "../support/receiver.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("a delivery to webhooks listen", () => {
  it("is verified by its raw bytes, printed and recorded byte for byte", async () => {
    const { cwd, listen, run } = setUp();
    const { url, ready, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    expect(ready).toMatchObject({ fingerprints: [expect.stringMatching(/^[0-9a-f]{8}$/)], forwardTo: null });
    const oddHeaders = ["X-Odd", "one", "x-odd", "caf\u00e9", "Content-Type", "application/json"];
    expect(await post(`${url}/hook?a=1`, [...oddHeaders, ...signHeaders()])).toMatchObject({ status: 200 });
    const upperCase = signHeaders().map((word, index) => (index % 2 === 0 ? word.toUpperCase() : word));
    await post(url, upperCase);
    const { code, stdout } = await completion;
    const events = parseEvents(stdout);
    expect(code).toBe(0);
    expect(events).toMatchObject([
      {
        event: "delivery",
        number: 1,
        path: "/hook?a=1",
        verdict: "valid",
        eventType: "partner.test",
        responseStatus: 200,
      },
      { event: "delivery", number: 2, verdict: "valid", eventType: "partner.test", bytes: BODY.length },
    ]);
    const file = join(cwd, "kept", events[0].file);
    const raw = readFileSync(file);
    expect(raw.subarray(-BODY.length).equals(BODY)).toBe(true);
    expect(raw.toString("latin1")).toMatch(
      /^POST \/hook\?a=1 HTTP\/1\.1\r\n[\s\S]*X-Odd: one\r\nx-odd: caf\u00e9\r\nContent-Type: application\/json\r\nX-Service-Event/,
    );
    for (const { file } of events) {
      const verify = await run("verify", join("kept", file), ...WITH_SECRET, "--json");
      expect(JSON.parse(verify.stdout)).toMatchObject({ verdict: "valid" });
    }
    const names = readdirSync(join(cwd, "kept"));
    expect(names).toHaveLength(2);
    for (const name of names) expect(statSync(join(cwd, "kept", name)).mode & 0o777, name).toBe(0o600);
  });

  it("is recorded in a new folder after the folder was moved away", async () => {
    const { cwd, listen } = setUp();
    const { url, completion, waitForOutput } = await listen(
      ...WITH_SECRET,
      "--record",
      "kept",
      "--count",
      "2",
    );
    await post(url, signHeaders());
    await waitForOutput(/"event":"delivery"/);
    renameSync(join(cwd, "kept"), join(cwd, "kept.1"));
    await post(url, signHeaders());
    expect(await completion).toMatchObject({ code: 0 });
    expect([readdirSync(join(cwd, "kept.1")).length, readdirSync(join(cwd, "kept")).length]).toEqual([1, 1]);
  });

  it("is recorded byte for byte if its body is chunked", async () => {
    const { listen, run } = setUp();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "1");
    const body = "3\r\nabc\r\n0\r\n\r\n";
    const { hostname, port } = new URL(url);
    const headers = ["Host", "x", "Transfer-Encoding", "chunked", ...signHeaders(body)];
    const request = httpRequest({ hostname, port, method: "POST", headers: headers as never });
    request.write(body.slice(0, 5));
    request.end(body.slice(5));
    await once(request, "response");
    const [event] = parseEvents((await completion).stdout);
    expect(event).toMatchObject({ verdict: "valid", bytes: body.length });
    const verify = await run("verify", join("kept", event.file), ...WITH_SECRET);
    expect(verify).toMatchObject({ code: 0 });
  });

  const otherSignature = signHeaders(BODY, "partner.test", "whsec_another_one_for_tests_only");
  const removeHeader = (name: string) => {
    const headers = signHeaders();
    headers.splice(headers.indexOf(name), 2);
    return headers;
  };
  it.each([
    ["missing a timestamp", removeHeader("X-Service-Timestamp"), "missing_header", ["timestamp.missing"]],
    [
      "sent with two timestamps",
      [...signHeaders(), "X-Service-Timestamp", "1795132801"],
      "malformed",
      ["timestamp.doubled"],
    ],
    ["signed with another secret", otherSignature, "mismatch", []],
    [
      "reserialized after it was signed",
      signHeaders('{"type":"partner.test"}'),
      "mismatch",
      ["base.reserialized"],
      '{ "type": "partner.test" }',
    ],
  ] as const)("gets 401, is recorded with its cause and is not forwarded if it is %s", async (...row) => {
    const [, headers, verdict, causes, body] = row;
    const app = await startReceiver();
    const { cwd, listen } = setUp();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--forward-to", app.url, "--record", "kept", "--count", "1"],
    );
    const response = await post(url, headers, body);
    const { code, stdout, stderr } = await completion;
    const [event] = parseEvents(stdout);
    expect(response).toMatchObject({ status: 401, text: `${event.reason}\n` });
    expect(event).toMatchObject({ verdict, responseStatus: 401, forwarded: null, eventType: null });
    expect(event.causes.map(({ id }: { id: string }) => id)).toEqual(causes);
    expect(readdirSync(join(cwd, "kept"))).toContain(event.file);
    expect(app.requests).toEqual([]);
    expect(code).toBe(7);
    expect(stderr).toContain("1 of 1 delivery did not verify");
  });

  it("is refused with --tolerance if it is too old", async () => {
    const { listen } = setUp();
    const strict = await listen(...WITH_SECRET, "--tolerance", "5m", "--count", "1");
    expect(await post(strict.url, signHeaders())).toMatchObject({ status: 401 });
    expect(parseEvents((await strict.completion).stdout)).toMatchObject([
      { verdict: "stale", eventType: "partner.test", causes: null },
    ]);
  });

  it("is not verified without a secret, and forwarded only with --forward-unverified", async () => {
    const app = await startReceiver();
    const { listen } = setUp();
    const cautious = await listen("--forward-to", app.url, "--count", "2");
    expect(await post(cautious.url, signHeaders())).toMatchObject({ status: 200 });
    expect(await post(cautious.url, [])).toMatchObject({ status: 401 });
    const first = await cautious.completion;
    expect(parseEvents(first.stdout)).toMatchObject([
      { verdict: "unverified", eventType: null, claimedEventType: "partner.test", forwarded: null },
      { verdict: "missing_header", responseStatus: 401 },
    ]);
    expect(first.stderr.match(/deliveries are not verified/g)).toHaveLength(1);
    expect(first.stderr).toContain(`forwarding verified deliveries to ${app.url}`);
    expect(app.requests).toEqual([]);
    const unverified = await listen("--forward-to", app.url, "--forward-unverified", "--count", "1");
    expect(await post(unverified.url, signHeaders())).toMatchObject({ status: 200 });
    const second = await unverified.completion;
    expect(parseEvents(second.stdout)).toMatchObject([{ verdict: "unverified", forwarded: { status: 200 } }]);
    expect(second.stderr).toContain(`forwarding deliveries to ${app.url}`);
    expect(app.requests).toHaveLength(1);
  });

  it("gets 413 and is not recorded if it is larger than 5 MiB", async () => {
    const { cwd, listen } = setUp();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    const large = Buffer.alloc((5 << 20) + 1, "x");
    expect(await post(url, signHeaders(large), large)).toMatchObject({ status: 413 });
    const largest = large.subarray(1);
    expect(await post(url, signHeaders(largest), largest)).toMatchObject({ status: 200 });
    const events = parseEvents((await completion).stdout);
    expect(events).toMatchObject([
      { verdict: "too_large", file: null, bytes: large.length },
      { verdict: "valid", bytes: largest.length },
    ]);
    expect(readdirSync(join(cwd, "kept"))).toHaveLength(1);
  });
});

describe("webhooks listen --forward-to", () => {
  it("forwards bytes and headers unchanged, and sends the response of the app", async () => {
    const app = await startReceiver((_, response, count) =>
      count === 1
        ? response.writeHead(503, { "retry-after": "7" }).end("not yet")
        : response.writeHead(204).end(),
    );
    const { listen } = setUp();
    const { url, completion } = await listen(
      ...WITH_SECRET,
      "--forward-to",
      `${app.url}/hook?k=1`,
      "--count",
      "2",
    );
    const oddHeaders = ["X-Odd", "one", "x-odd", "caf\u00e9", "Connection", "close, X-Hop", "X-Hop", "gone"];
    expect(await post(`${url}/elsewhere`, [...oddHeaders, ...signHeaders()])).toMatchObject({
      status: 503,
      headers: { "retry-after": "7" },
    });
    expect(await post(url, signHeaders())).toMatchObject({ status: 204, text: "" });
    const { code, stdout } = await completion;
    expect(code).toBe(0);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", responseStatus: 503, forwarded: { status: 503, body: "not yet" } },
      { verdict: "valid", responseStatus: 204, forwarded: { status: 204, body: null, error: null } },
    ]);
    const [first] = app.requests;
    expect(first?.path).toBe("/hook?k=1");
    expect(first?.body.equals(BODY)).toBe(true);
    const own = first?.headers.filter(([name]) => !/^(host|connection|content-length)$/.test(name));
    expect(own?.flat()).toEqual(["X-Odd", "one", "x-odd", "caf\u00e9", ...signHeaders()]);
    expect(first?.headers).toContainEqual(["host", `127.0.0.1:${app.port}`]);
  });

  it("reports once that the app is down and once that it responds again, and records all deliveries", async () => {
    const app = await startReceiver();
    await new Promise((resolve) => app.server.close(resolve));
    const { listen } = setUp();
    const { url, completion, stop } = await listen(
      ...WITH_SECRET,
      "--forward-to",
      app.url,
      "--record",
      "kept",
    );
    for (let count = 0; count < 3; count += 1)
      expect(await post(url, signHeaders())).toMatchObject({ status: 502 });
    app.server.listen(app.port, "127.0.0.1");
    await once(app.server, "listening");
    expect(await post(url, signHeaders())).toMatchObject({ status: 200 });
    stop("SIGINT");
    const { code, stdout, stderr } = await completion;
    expect(code).toBe(0);
    expect(stderr.match(/nothing is listening there/g)).toHaveLength(1);
    expect(stderr.match(/until it responds, the sender gets 502/g)).toHaveLength(1);
    expect(stderr.match(/responds again/g)).toHaveLength(1);
    expect(stderr).toMatch(/"stopped after 4 deliveries"/);
    expect(stderr).not.toContain("error");
    expect(
      parseEvents(stdout).map(({ responseStatus, forwarded, file }) => [
        responseStatus,
        forwarded.error?.code,
        typeof file,
      ]),
    ).toEqual([
      ...Array.from({ length: 3 }, () => [502, "connection_refused", "string"]),
      [200, undefined, "string"],
    ]);
  });

  it("does not follow a redirect of the app", async () => {
    const other = await startReceiver();
    const app = await startReceiver((_, response) => response.writeHead(307, { location: other.url }).end());
    const { listen } = setUp();
    const { url, completion } = await listen(...WITH_SECRET, "--forward-to", app.url, "--count", "1");
    expect(await post(url, signHeaders())).toMatchObject({ status: 307 });
    await completion;
    expect(other.requests).toEqual([]);
  });

  it("sends 401 for an invalid signature, also with --forward-unverified", async () => {
    const app = await startReceiver();
    const { listen } = setUp();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--forward-to", app.url, "--forward-unverified", "--count", "1"],
    );
    expect(await post(url, signHeaders("another body"))).toMatchObject({ status: 401 });
    expect(parseEvents((await completion).stdout)).toMatchObject([
      { responseStatus: 401, forwarded: { status: 200 } },
    ]);
    expect(app.requests).toHaveLength(1);
  });

  it("refuses URLs that are not HTTP, and its own address", async () => {
    const { cwd, env, run } = setUp();
    for (const target of ["ftp://127.0.0.1/x", "nowhere", "http://me:secret@127.0.0.1/"])
      expect(await run("listen", "--forward-to", target)).toMatchObject({ code: 2, stdout: "" });
    const { port } = await startReceiver();
    const args = ["webhooks", "listen", "--host", "::1", "--port", String(port)];
    const loop = await runCli([...args, "--forward-to", `http://localhost:${port}/x`], { env, cwd });
    expect(loop.stderr).toContain("is this listener");
  });
});

describe("webhooks listen", () => {
  it("exits 6 with the port if it is in use", async () => {
    const { run } = setUp();
    const { port } = await startReceiver();
    const result = await run("listen", "--port", String(port), ...WITH_SECRET);
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).toContain(`another program uses port ${port} on 127.0.0.1`);
    expect(result.stderr).toContain("--port 0");
  });

  it("refuses a secret that ends with a line feed, and a file as --record folder", async () => {
    const { cwd, run } = setUp();
    writeFileSync(join(cwd, "lined.txt"), `${SECRET}\n`, { mode: 0o600 });
    expect(await run("listen", "--port", "0", "--secret-file", "lined.txt")).toMatchObject({ code: 4 });
    const blocked = await run("listen", "--port", "0", ...WITH_SECRET, "--record", "secret.txt");
    expect(blocked).toMatchObject({ code: 2 });
    expect(blocked.stderr).toContain("cannot record into secret.txt: a file is in the way");
  });

  it("sends 405 to a browser and 400 to bytes that are not HTTP", async () => {
    const { listen } = setUp();
    const { url, completion, stop } = await listen(...WITH_SECRET);
    const page = await fetch(`${url}/favicon.ico`);
    expect(page).toMatchObject({ status: 405 });
    expect(page.headers.get("allow")).toBe("POST");
    expect(await page.text()).toContain("POST them to any path");
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.setEncoding("latin1").write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
    const [response] = await once(socket, "data");
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    stop("SIGTERM");
    const { stderr, stdout } = await completion;
    expect(stderr).toContain("GET /favicon.ico: 405");
    expect(parseEvents(stdout)).toEqual([]);
  });

  it("does not wait for a stalled sender, neither before nor after Ctrl-C", async () => {
    const { listen } = setUp();
    const { url, completion, stop, waitForOutput } = await listen(...WITH_SECRET);
    const { port } = new URL(url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.setEncoding("latin1").write("POST / HTTP/1.1\r\nHost: x\r\n");
    const [response] = await once(slow, "data");
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    const stalled = connect(Number(port), "127.0.0.1");
    stalled.on("error", () => {}).write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    const truncated = connect(Number(port), "127.0.0.1");
    truncated.write("POST /gone HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf", () =>
      truncated.destroy(),
    );
    await waitForOutput(/POST \/gone: truncated/, "stderr");
    stop("SIGINT");
    expect(await completion).toMatchObject({ code: 0 });
  });

  it("prints one line per delivery on a terminal, with causes and fixes", async () => {
    const app = await startReceiver((_, response, count) =>
      count === 1 ? response.end() : response.writeHead(401).end('{"error":"bad\u001b[31m signature"}\n'),
    );
    const { cwd } = setUp();
    const { context, run, stdout, stderr } = createTerminalContext({ env: bareEnvironment() });
    Object.assign(context.stdout, { columns: 1_000 });
    const completion = run(
      ...["webhooks", "listen", "--port", "0", "--secret-file", join(cwd, "secret.txt")],
      ...["--forward-to", app.url, "--count", "3", "--no-color"],
    );
    const url = () => /listening at (http:\S+),/.exec(stderr.text)?.[1];
    await expect.poll(url).toBeDefined();
    for (const headers of [signHeaders(), signHeaders(), signHeaders("")]) await post(url() ?? "", headers);
    expect(await completion).toBe(7);
    const lines = stdout.text.split("\n");
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d {2}partner\.test {18}valid {16}41 B {2}→ 200 {2}app 200, \d+ ms$/,
    );
    expect(lines[1]).toMatch(/→ 401 {2}app 401, \d+ ms$/);
    expect(lines[2]).toMatch(
      /^ {10}verified here, but the app responded 401: .*changes the body before it verifies/,
    );
    expect(lines[3]).toBe('          | {"error":"bad·[31m signature"}');
    expect(lines[4]).toMatch(/^\S+ {2}partner\.test \(claimed\) {8}mismatch {13}41 B {2}→ 401$/);
    expect(stdout.text).toContain("cause: the body was empty when it was signed or verified (body.empty)");
    expect(stdout.text).toContain("fix: print the body once");
  });

  it("paints the verdict on a terminal, and wraps the cause between words", async () => {
    const { cwd } = setUp();
    const { context, run, stdout, stderr } = createTerminalContext({ env: bareEnvironment() });
    Object.assign(context.stdout, { columns: 80 });
    const args = ["--port", "0", "--secret-file", join(cwd, "secret.txt"), "--count", "1", "--color"];
    const completion = run("webhooks", "listen", ...args);
    await expect.poll(() => stderr.text).toContain("listening at");
    await post(/listening at (http:\S+),/.exec(stderr.text)?.[1] ?? "", signHeaders(""));
    expect(await completion).toBe(7);
    const [summary = "", ...details] = stdout.text.trimEnd().split("\n");
    expect(summary).toContain("\u001b[31mmismatch");
    for (const line of details) expect(line).toMatch(/^ {10}\S.{0,69}$/);
  });
});
