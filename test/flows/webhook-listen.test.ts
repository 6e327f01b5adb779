import { Buffer } from "node:buffer";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { startReceiver } from "../support/receiver.ts";
import { startSandboxUp } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

/** No text at all: a NUL, and what is no UTF-8. */
const BODY = Buffer.concat([
  Buffer.from('{"type":"partner.test","amount":1.0}\r\n'),
  Buffer.from([0, 0xff, 0xfe]),
]);

const signed = (body: Uint8Array | string = BODY, event = "partner.test", secret = SECRET): string[] => [
  ...["X-Service-Event", event],
  ...["X-Service-Timestamp", TIMESTAMP],
  ...["X-Service-Signature", sign({ secret, timestamp: TIMESTAMP, body })],
];

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Posts bytes with headers as they are, names and values in turn. */
function post(url: string, headers: readonly string[], body: Uint8Array | string = BODY): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const request = httpRequest({
      ...{ hostname, port, path: pathname + search, method: "POST", agent: false },
      headers: [
        "Host",
        "receiver.example",
        "Content-Length",
        String(Buffer.byteLength(body)),
        ...headers,
      ] as never,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    request.end(body);
  });
}

/** A folder with a secret in a file, and listeners that run in it. */
function desk() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const env = bareEnvironment();
  const listen = async (...words: string[]) => {
    const started = startCli(["webhooks", "listen", "--port", "0", "--json", ...words], { env, cwd });
    const [line] = await started.waitForOutput(/^\{"event":"ready".*\}$/m);
    const { url } = JSON.parse(line) as { url: string };
    return { ...started, url, ready: JSON.parse(line) };
  };
  const run = (...words: string[]) => runCli(["webhooks", ...words], { env, cwd });
  return { cwd, env, listen, run };
}

const WITH_SECRET = ["--secret-file", "secret.txt"];

/** The events of a listener after the ready line. */
const parseEvents = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));

describe("webhooks listen: a delivery", () => {
  it("is explained within limits, and does not delay the next one", async () => {
    const { listen } = desk();
    const hostile = [
      "[".repeat(10_000),
      "[".repeat(10_000) + "]".repeat(10_000),
      `a${"\n".repeat(20_000)}b`,
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, index])),
      ),
    ];
    const { url, completion } = await listen(...WITH_SECRET, "--count", String(hostile.length + 1));
    const wrong = signed("another body");
    const answers = await Promise.all(hostile.map((body) => post(url, wrong, body)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(await post(url, signed())).toMatchObject({ status: 200 });
    const { code, stdout, stderr } = await completion;
    expect(code, stderr).toBe(7);
    const events = parseEvents(stdout) as {
      verdict: string;
      causes: unknown;
      tried: number | null;
      complete: boolean | null;
    }[];
    expect(events.filter(({ verdict }) => verdict === "valid")).toMatchObject([
      { causes: null, tried: null, complete: null },
    ]);
    const refused = events.filter(({ verdict }) => verdict === "mismatch");
    expect(refused.map(({ causes }) => causes)).toEqual([[], [], [], []]);
    expect(refused.some(({ complete }) => complete === false)).toBe(true);
    for (const { tried } of refused) expect(tried).toBeGreaterThan(0);
  });

  it("is verified by its raw bytes, printed, and recorded byte for byte", async () => {
    const { cwd, listen, run } = desk();
    const { url, ready, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    expect(ready).toMatchObject({ fingerprints: [expect.stringMatching(/^[0-9a-f]{8}$/)], routes: [] });
    const odd = ["X-Odd", "one", "x-odd", "caf\u00e9", "Content-Type", "application/json"];
    expect(await post(`${url}/hook?a=1`, [...odd, ...signed()])).toMatchObject({ status: 200 });
    const upper = signed().map((word, index) => (index % 2 === 0 ? word.toUpperCase() : word));
    await post(url, upper);
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
      const verified = await run("verify", "--request", join("kept", file), ...WITH_SECRET, "--json");
      expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: "valid" });
    }
    const names = readdirSync(join(cwd, "kept"));
    expect(names).toHaveLength(3);
    for (const name of names) expect(statSync(join(cwd, "kept", name)).mode & 0o777, name).toBe(0o600);
    const index = readFileSync(join(cwd, "kept", "index.ndjson"), "utf8");
    expect(
      index
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(events);
  });

  it("with a chunked body is recorded byte for byte", async () => {
    const { listen, run } = desk();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "1");
    const body = "3\r\nabc\r\n0\r\n\r\n";
    const { hostname, port } = new URL(url);
    const headers = ["Host", "x", "Transfer-Encoding", "chunked", ...signed(body)];
    const request = httpRequest({ hostname, port, method: "POST", headers: headers as never });
    request.write(body.slice(0, 5));
    request.end(body.slice(5));
    await once(request, "response");
    const [event] = parseEvents((await completion).stdout);
    expect(event).toMatchObject({ verdict: "valid", bytes: body.length });
    const verified = await run("verify", "--request", join("kept", event.file), ...WITH_SECRET);
    expect(verified).toMatchObject({ code: 0 });
  });

  const others = signed(BODY, "partner.test", "whsec_another_one_for_tests_only");
  const without = (name: string) => {
    const headers = signed();
    headers.splice(headers.indexOf(name), 2);
    return headers;
  };
  it.each([
    ["without a timestamp", without("X-Service-Timestamp"), "missing_header", ["timestamp.missing"]],
    ["without a signature", without("X-Service-Signature"), "missing_header", ["signature.missing"]],
    [
      "with an empty signature",
      [...without("X-Service-Signature"), "X-Service-Signature", ""],
      "missing_header",
      ["signature.missing"],
    ],
    [
      "with two timestamps",
      [...signed(), "X-Service-Timestamp", "1795132801"],
      "malformed",
      ["timestamp.doubled"],
    ],
    [
      "signed in capital letters",
      [...signed().slice(0, 5), signed()[5]?.toUpperCase() ?? ""],
      "malformed",
      ["signature.uppercase"],
    ],
    ["signed with another secret", others, "mismatch", []],
    ["signed without its line end", signed(BODY.subarray(0, -5)), "mismatch", []],
    [
      "signed before it was printed",
      signed('{"type":"partner.test"}'),
      "mismatch",
      ["base.reserialized"],
      '{ "type": "partner.test" }',
    ],
  ] as const)("%s is answered 401, kept, named by its cause, and not forwarded", async (...row) => {
    const [, headers, verdict, causes, body] = row;
    const app = await startReceiver();
    const { cwd, listen } = desk();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--forward-to", app.url, "--record", "kept", "--count", "1"],
    );
    const answer = await post(url, headers, body);
    const { code, stdout, stderr } = await completion;
    const [event] = parseEvents(stdout);
    expect(answer).toMatchObject({ status: 401, text: `${event.reason}\n` });
    expect(event).toMatchObject({ verdict, responseStatus: 401, forwarded: [], eventType: null });
    expect(event.causes.map(({ id }: { id: string }) => id)).toEqual(causes);
    expect(readdirSync(join(cwd, "kept"))).toContain(event.file);
    expect(app.requests).toEqual([]);
    expect(code).toBe(7);
    expect(stderr).toContain("1 of 1 delivery did not verify");
  });

  it("that is too old is refused only with --tolerance", async () => {
    const { listen } = desk();
    const strict = await listen(...WITH_SECRET, "--tolerance", "5m", "--count", "1");
    expect(await post(strict.url, signed())).toMatchObject({ status: 401 });
    expect(parseEvents((await strict.completion).stdout)).toMatchObject([
      { verdict: "stale", eventType: "partner.test", causes: null },
    ]);
  });

  it("is verified with any of several secrets, and names the matching one", async () => {
    const { cwd, listen } = desk();
    writeFileSync(join(cwd, "old.txt"), "whsec_another_one_for_tests_only", { mode: 0o600 });
    const { url, ready, completion } = await listen(
      "--secret-file",
      "old.txt",
      ...WITH_SECRET,
      "--count",
      "1",
    );
    await post(url, signed());
    expect(parseEvents((await completion).stdout)).toMatchObject([
      { verdict: "valid", secretFingerprint: ready.fingerprints[1] },
    ]);
  });

  it("is not verified without a secret, and forwarded only with --forward-unverified", async () => {
    const app = await startReceiver();
    const { listen } = desk();
    const kept = await listen("--forward-to", app.url, "--count", "2");
    expect(await post(kept.url, signed())).toMatchObject({ status: 200 });
    expect(await post(kept.url, [])).toMatchObject({ status: 401 });
    const first = await kept.completion;
    expect(parseEvents(first.stdout)).toMatchObject([
      { verdict: "unverified", eventType: null, claimedEventType: "partner.test", forwarded: [] },
      { verdict: "missing_header", responseStatus: 401 },
    ]);
    expect(first.stderr.match(/deliveries are not verified/g)).toHaveLength(1);
    expect(first.stderr).toContain(`forwarding verified deliveries to ${app.url}`);
    expect(app.requests).toEqual([]);
    const open = await listen("--forward-to", app.url, "--forward-unverified", "--until", "partner.test");
    expect(await post(open.url, signed())).toMatchObject({ status: 200 });
    const second = await open.completion;
    expect(parseEvents(second.stdout)).toMatchObject([
      { verdict: "unverified", forwarded: [{ status: 200 }] },
    ]);
    expect(second.stderr).toContain(`forwarding deliveries to ${app.url}`);
    expect(app.requests).toHaveLength(1);
  });

  it("that is larger than 5 MiB gets 413 and is not recorded", async () => {
    const { cwd, listen } = desk();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    const large = Buffer.alloc((5 << 20) + 1, "x");
    expect(await post(url, signed(large), large)).toMatchObject({ status: 413 });
    const largest = large.subarray(1);
    expect(await post(url, signed(largest), largest)).toMatchObject({ status: 200 });
    const events = parseEvents((await completion).stdout);
    expect(events).toMatchObject([
      { verdict: "too_large", file: null, bytes: large.length },
      { verdict: "valid", bytes: largest.length },
    ]);
    expect(readdirSync(join(cwd, "kept"))).toHaveLength(2);
  });

  it("is one of 200 at once; each is forwarded, recorded and printed", async () => {
    const app = await startReceiver();
    const { cwd, listen } = desk();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--record", "kept", "--count", "200", "--forward-to", app.url],
    );
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(url, signed())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { code, stdout, stderr } = await completion;
    expect(code).toBe(0);
    expect(stderr).not.toContain("Warning");
    expect(new Set(parseEvents(stdout).map(({ file }) => file)).size).toBe(200);
    expect(readdirSync(join(cwd, "kept"))).toHaveLength(201);
  });
});

describe("webhooks listen: forwarding", () => {
  it("forwards bytes and headers unchanged, and responds like the app", async () => {
    const app = await startReceiver((_, response, count) =>
      count === 1
        ? response.writeHead(503, { "retry-after": "7" }).end("not yet")
        : response.writeHead(204).end(),
    );
    const { listen } = desk();
    const { url, completion } = await listen(
      ...WITH_SECRET,
      "--forward-to",
      `${app.url}/hook?k=1`,
      "--count",
      "2",
    );
    const odd = ["X-Odd", "one", "x-odd", "caf\u00e9", "Connection", "close, X-Hop", "X-Hop", "gone"];
    expect(await post(`${url}/elsewhere`, [...odd, ...signed()])).toMatchObject({
      status: 503,
      headers: { "retry-after": "7" },
    });
    expect(await post(url, signed())).toMatchObject({ status: 204, text: "" });
    const { code, stdout } = await completion;
    expect(code).toBe(0);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", responseStatus: 503, forwarded: [{ status: 503, body: "not yet" }] },
      { verdict: "valid", responseStatus: 204, forwarded: [{ status: 204, body: null, error: null }] },
    ]);
    const [first] = app.requests;
    expect(first?.path).toBe("/hook?k=1");
    expect(first?.body.equals(BODY)).toBe(true);
    const own = first?.headers.filter(([name]) => !/^(host|connection|content-length)$/.test(name));
    expect(own?.flat()).toEqual(["X-Odd", "one", "x-odd", "caf\u00e9", ...signed()]);
    expect(first?.headers).toContainEqual(["host", `127.0.0.1:${app.port}`]);
  });

  it("sends to every matching target, and responds with the worst response", async () => {
    const [all, tests, rotated] = [
      await startReceiver(),
      await startReceiver((_, response) => response.writeHead(401).end("bad signature")),
      await startReceiver(),
    ];
    const { listen } = desk();
    const { url, completion } = await listen(
      ...WITH_SECRET,
      ...["--forward-to", all.url, "--route", `partner.t*=${tests.url}`],
      ...["--route", `*.rotated=${rotated.url}`, "--route", `partner.*=${all.url}`],
      ...["--until", "partner.credential.rotated"],
    );
    expect(await post(url, signed())).toMatchObject({ status: 401 });
    expect(await post(url, signed(BODY, "partner.credential.rotated"))).toMatchObject({ status: 200 });
    expect(await completion).toMatchObject({ code: 0 });
    expect([all, tests, rotated].map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
  });

  it("trusts the certificate authority of --ca-file", async () => {
    const app = await startScriptedService((_, response) => response.end(), { secure: true });
    const authority = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    const { listen } = desk();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--forward-to", app.url.replace("127.0.0.1", "localhost")],
      ...["--ca-file", authority, "--count", "1"],
    );
    expect(await post(url, signed())).toMatchObject({ status: 200 });
    expect(app.requests).toHaveLength(1);
    expect(await completion).toMatchObject({ code: 0 });
  });

  it("reports once that the app is down and once that it is back, and keeps recording", async () => {
    const app = await startReceiver();
    await new Promise((resolve) => app.server.close(resolve));
    const { listen } = desk();
    const { url, completion, stop } = await listen(
      ...WITH_SECRET,
      "--forward-to",
      app.url,
      "--record",
      "kept",
    );
    for (let count = 0; count < 3; count += 1)
      expect(await post(url, signed())).toMatchObject({ status: 502 });
    app.server.listen(app.port, "127.0.0.1");
    await once(app.server, "listening");
    expect(await post(url, signed())).toMatchObject({ status: 200 });
    stop("SIGINT");
    const { code, stdout, stderr } = await completion;
    expect(code).toBe(0);
    expect(stderr.match(/nothing is listening there/g)).toHaveLength(1);
    expect(stderr.match(/responds again/g)).toHaveLength(1);
    expect(stderr).toMatch(/^stopped after 4 deliveries$/m);
    expect(stderr).not.toContain("error");
    expect(
      parseEvents(stdout).map(({ responseStatus, forwarded, file }) => [
        responseStatus,
        forwarded[0].error?.code,
        typeof file,
      ]),
    ).toEqual([
      ...Array.from({ length: 3 }, () => [502, "connection_refused", "string"]),
      [200, undefined, "string"],
    ]);
  });

  it("follows no redirect", async () => {
    const other = await startReceiver();
    const app = await startReceiver((_, response) => response.writeHead(307, { location: other.url }).end());
    const { listen } = desk();
    const { url, completion } = await listen(...WITH_SECRET, "--forward-to", app.url, "--count", "1");
    expect(await post(url, signed())).toMatchObject({ status: 307 });
    await completion;
    expect(other.requests).toEqual([]);
  });

  it("with --forward-unverified does not change the response", async () => {
    const app = await startReceiver();
    const { listen } = desk();
    const { url, completion } = await listen(
      ...[...WITH_SECRET, "--forward-to", app.url, "--forward-unverified", "--count", "1"],
    );
    expect(await post(url, signed("another body"))).toMatchObject({ status: 401 });
    expect(parseEvents((await completion).stdout)).toMatchObject([
      { responseStatus: 401, forwarded: [{ status: 200 }] },
    ]);
    expect(app.requests).toHaveLength(1);
  });

  it("accepts http and https URLs, except its own", async () => {
    const { cwd, env, run } = desk();
    for (const target of ["ftp://127.0.0.1/x", "nowhere", "http://me:secret@127.0.0.1/"])
      expect(await run("listen", "--forward-to", target)).toMatchObject({ code: 2, stdout: "" });
    expect((await run("listen", "--route", "partner.*")).stderr).toContain("is not a route");
    const { port } = await startReceiver();
    const words = ["webhooks", "listen", "--host", "::1", "--port", String(port)];
    const looped = await runCli([...words, "--forward-to", `http://localhost:${port}/x`], { env, cwd });
    expect(looped.stderr).toContain("is this listener");
  });
});

describe("webhooks listen: stopping", () => {
  it("exits 8 after --timeout with --count or --until, and 0 without", async () => {
    const { run } = desk();
    const listen = ["listen", "--port", "0", ...WITH_SECRET, "--timeout", "300ms", "--json"];
    const awaited = await run(...listen, "--count", "2");
    expect(awaited.code).toBe(8);
    expect(awaited.stderr).toContain("0 deliveries arrived in time; expected 2");
    expect((await run(...listen, "--until", "partner.test")).stderr).toContain(
      "partner.test was not among them",
    );
    expect(await run(...listen)).toMatchObject({ code: 0 });
  });

  it("stops after exactly --count deliveries; later ones get 503", async () => {
    const app = await startReceiver((_, response, count) => {
      if (count === 1) late.then(() => response.end());
      else response.end();
    });
    let release = () => {};
    const late = new Promise<void>((resolve) => (release = resolve));
    const { listen } = desk();
    const { url, completion } = await listen(...WITH_SECRET, "--forward-to", app.url, "--count", "1");
    const first = post(url, signed());
    while (app.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await post(url, signed())).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect(parseEvents((await completion).stdout)).toHaveLength(1);
  });

  it.each([
    ["SIGINT", []],
    ["SIGTERM", []],
    ["SIGINT", ["--timeout", "1m"]],
  ] as const)("comes with %s %j, which is no error, also while an app is slow", async (signal, words) => {
    const app = await startReceiver(() => {});
    const { listen } = desk();
    const { url, completion, stop } = await listen(...WITH_SECRET, "--forward-to", app.url, ...words);
    const pending = post(url, signed());
    while (app.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop(signal);
    expect((await pending).status).toBe(502);
    const { code, stderr } = await completion;
    expect([code, stderr.match(/^stopped after 1 delivery$/m)?.length]).toEqual([0, 1]);
  });

  it.each([
    ["SIGINT", 130, "--count", "2", "stopped after 1 delivery; expected 2"],
    ["SIGTERM", 143, "--until", "partner.x", "stopped after 1 delivery; partner.x was not among them"],
  ] as const)(
    "is an error with %s before what it waits for",
    async (signal, exitCode, flag, value, message) => {
      const { listen } = desk();
      const { url, completion, stop } = await listen(...WITH_SECRET, flag, value);
      await post(url, signed());
      stop(signal);
      const result = await completion;
      expect(result).toMatchObject({ code: exitCode });
      expect(result.stderr).toContain(`"message":"${message}"`);
    },
  );

  it("exits 7 on Ctrl-C if a delivery did not verify", async () => {
    const { listen } = desk();
    const { url, completion, stop } = await listen(...WITH_SECRET);
    await post(url, []);
    stop("SIGINT");
    expect(await completion).toMatchObject({ code: 7 });
  });

  it("names the recorded deliveries that did not verify", async () => {
    const { listen } = desk();
    for (const [flags, hint] of [
      [[], "record them with --record"],
      [["--record", "kept"], "look at one of kept with claims webhooks verify --request"],
    ] as const) {
      const { url, completion } = await listen(...WITH_SECRET, ...flags, "--count", "1");
      await post(url, []);
      const { code, stderr } = await completion;
      expect(code).toBe(7);
      expect(stderr).toContain(hint);
    }
  });

  it("stops when its output is closed", async () => {
    const { listen } = desk();
    const { url, completion, closeStdout } = await listen(...WITH_SECRET);
    closeStdout();
    await post(url, signed());
    await post(url, signed()).catch(() => {});
    expect(await completion).toMatchObject({ code: 0 });
  });

  it("exits with an error when a delivery could not be recorded, and warns once", async () => {
    const { cwd, listen } = desk();
    const { url, completion } = await listen(...WITH_SECRET, "--record", "kept", "--count", "2");
    rmSync(join(cwd, "kept"), { recursive: true });
    expect(await post(url, signed())).toMatchObject({ status: 200 });
    expect(await post(url, signed())).toMatchObject({ status: 200 });
    const { code, stdout, stderr } = await completion;
    expect(code).toBe(2);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", file: null },
      { verdict: "valid", file: null },
    ]);
    expect(stderr.match(/warning: cannot record/g)).toHaveLength(1);
    expect(stderr).toContain("some deliveries could not be recorded into");
  });
});

describe("webhooks listen", () => {
  it("names a port in use", async () => {
    const { run } = desk();
    const { port } = await startReceiver();
    const result = await run("listen", "--port", String(port), ...WITH_SECRET);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain(`another program uses port ${port} on 127.0.0.1`);
    expect(result.stderr).toContain("--port 0");
  });

  it("refuses a secret with a line end, and an invalid folder", async () => {
    const { cwd, run } = desk();
    writeFileSync(join(cwd, "lined.txt"), `${SECRET}\n`, { mode: 0o600 });
    expect(await run("listen", "--port", "0", "--secret-file", "lined.txt")).toMatchObject({ code: 4 });
    const inTheWay = await run("listen", "--port", "0", ...WITH_SECRET, "--record", "secret.txt");
    expect(inTheWay).toMatchObject({ code: 2 });
    expect(inTheWay.stderr).toContain("cannot record into secret.txt: a file is in the way");
  });

  it.runIf(existsSync("/proc"))("ends where the folder to record into can never be made", async () => {
    const { run } = desk();
    const nowhere = await run("listen", "--port", "0", ...WITH_SECRET, "--record", "/proc/kept/here");
    expect(nowhere).toMatchObject({ code: 2, stdout: "" });
    expect(nowhere.stderr).toContain("cannot record into /proc/kept/here");
  });

  it("responds to a browser and to bytes that are not HTTP", async () => {
    const { listen } = desk();
    const { url, completion, stop, waitForOutput } = await listen(...WITH_SECRET);
    const page = await fetch(`${url}/favicon.ico`);
    expect(page).toMatchObject({ status: 405 });
    expect(page.headers.get("allow")).toBe("POST");
    expect(await page.text()).toContain("POST them to any path");
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.setEncoding("latin1").write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
    const [answer] = await once(socket, "data");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const port = Number(new URL(url).port);
    connect(port, "127.0.0.1").end("POST / HTTP/1.1\r\nHost: x\r\nX-Ser");
    await waitForOutput(/a request: 400, truncated/, "stderr");
    connect(port, "127.0.0.1")
      .on("error", () => {})
      .write("POST / HTTP/1.1\r\nHost: x\r\nX-Service-Event: \x1b[31m\r\n\r\n");
    await waitForOutput(/a request: 400, invalid HTTP/, "stderr");
    stop("SIGTERM");
    const { stderr, stdout } = await completion;
    expect(stderr).toContain("GET /favicon.ico: 405");
    expect(stderr.match(/maybe HTTPS/g)).toHaveLength(1);
    expect(parseEvents(stdout)).toEqual([]);
  });

  it("does not wait for a stalled sender, nor when it stops", async () => {
    const { listen } = desk();
    const { url, completion, stop, waitForOutput } = await listen(...WITH_SECRET);
    const { port } = new URL(url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.setEncoding("latin1").write("POST / HTTP/1.1\r\nHost: x\r\n");
    const [answer] = await once(slow, "data");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    const half = connect(Number(port), "127.0.0.1");
    half.on("error", () => {}).write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    const gone = connect(Number(port), "127.0.0.1");
    gone.write("POST /gone HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf", () => gone.destroy());
    await waitForOutput(/POST \/gone: truncated/, "stderr");
    stop("SIGINT");
    expect(await completion).toMatchObject({ code: 0 });
  });

  it("prints one line for each delivery on a terminal, and causes and fixes below", async () => {
    const app = await startReceiver((_, response, count) =>
      count === 1 ? response.end() : response.writeHead(401).end('{"error":"bad\u001b[31m signature"}\n'),
    );
    const { cwd } = desk();
    const { run, stdout, stderr } = createTerminalContext({ env: bareEnvironment() });
    const completion = run(
      ...["webhooks", "listen", "--port", "0", "--secret-file", join(cwd, "secret.txt")],
      ...["--forward-to", app.url, "--count", "3"],
    );
    const url = () => /listening at (http:\S+),/.exec(stderr.text)?.[1];
    while (!url()) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const headers of [signed(), signed(), signed("")]) await post(url() ?? "", headers);
    expect(await completion).toBe(7);
    const lines = stdout.text.split("\n");
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\dZ {2}partner\.test {18}valid {16}41 B {2}→ 200 {2}app 200, \d+ ms$/,
    );
    expect(lines[1]).toMatch(/→ 401 {2}app 401, \d+ ms$/);
    expect(lines[2]).toMatch(
      /^ {11}verified here, but the app responded 401: .*changes the body before it verifies/,
    );
    expect(lines[3]).toBe('           | {"error":"bad·[31m signature"}');
    expect(lines[4]).toMatch(/^\S+ {2}partner\.test \(claimed\) {8}mismatch {13}41 B {2}→ 401$/);
    expect(stdout.text).toContain("cause: the body was empty when it was signed or verified (body.empty)");
    expect(stdout.text).toContain("fix: read the body once");
  });
});

describe("webhooks listen --register", () => {
  /** A sandbox, and a listener that is registered with it. */
  async function registered(...words: string[]) {
    const { cwd, env, listen } = desk();
    const sandbox = await startSandboxUp(env);
    const listener = await listen("--register", ...words);
    const ask = async (...args: string[]) => {
      const result = await runCli([...args, "--json"], { env, cwd });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      return JSON.parse(result.stdout);
    };
    const endpoint = async () => {
      const { data } = await ask("webhooks", "list");
      return data.find(({ id }: { id: string }) => id === listener.ready.endpointId);
    };
    return { ...listener, sandbox, ask, endpoint };
  }

  it("receives and verifies the sandbox's deliveries, and revokes the endpoint at the end", async () => {
    const { ask, completion, endpoint, ready, url } = await registered(
      "--until",
      "partner.capability.changed",
    );
    expect(await endpoint()).toMatchObject({
      ...{ label: "claims listen", url, status: "active", environmentScope: "sandbox" },
      subscribedEvents: expect.arrayContaining(["partner.test", "partner.credential.rotated"]),
    });
    await ask("webhooks", "test", "partner.test");
    await ask("webhooks", "test", "partner.capability.changed", "--endpoint", ready.endpointId);
    const { code, stdout } = await completion;
    expect(code).toBe(0);
    expect(parseEvents(stdout)).toMatchObject([
      { verdict: "valid", eventType: "partner.test", secretFingerprint: ready.fingerprints[0] },
      { verdict: "valid", eventType: "partner.capability.changed" },
    ]);
    expect(await endpoint()).toMatchObject({ status: "revoked" });
    const { data } = await ask("webhooks", "deliveries", "--endpoint", ready.endpointId);
    expect(data.map(({ status }: { status: string }) => status)).toEqual(["delivered", "delivered"]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("is revoked on %s too", async (signal) => {
    const { stop, completion, endpoint } = await registered();
    stop(signal);
    expect(await completion).toMatchObject({ code: 0 });
    expect(await endpoint()).toMatchObject({ status: "revoked" });
  });

  it("stops when the sandbox has stopped, and warns about the endpoint", async () => {
    const { stop, completion, ready, sandbox } = await registered();
    sandbox.stop("SIGTERM");
    await sandbox.completion;
    stop("SIGINT");
    const { code, stderr } = await completion;
    expect(code).toBe(0);
    expect(stderr).toContain(`endpoint ${ready.endpointId} was not revoked`);
  });

  it("refuses a service that is not a local sandbox", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 201, {}));
    const result = await runCli(["webhooks", "listen", "--port", "0", "--register", "--json"], { env });
    expect(errorOf(result)).toMatchObject({
      code: "not_local",
      exitCode: 5,
      hint: expect.stringContaining("claims webhooks create"),
    });
    expect(requests).toEqual([]);
  });
});
