import { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sign, verify } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { startReceiver } from "../support/receiver.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const BODY = Buffer.concat([Buffer.from('{"type":"partner.test","n":1.0}\n'), Buffer.from([0, 0xff])]);

function setUp() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  writeFileSync(join(cwd, "body.json"), BODY);
  const send = (args: readonly string[], input?: Uint8Array | string) =>
    runCli(["webhooks", "send", "--secret-file", "secret.txt", ...args], {
      cwd,
      env: bareEnvironment(),
      ...(input !== undefined && { input }),
    });
  return { cwd, send };
}

describe("webhooks send", () => {
  it("sends the exact bytes once, with a valid signature and the given headers", async () => {
    const app = await startReceiver();
    const { send } = setUp();
    const flags = ["--event", "partner.test", "--timestamp", "1795132800", "--header", "X-Odd:  one "];
    const result = await send([
      ...["--to", `${app.url}/hook?k=1#x`, "--body", "body.json"],
      ...flags,
      "--json",
    ]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const signature = sign({ secret: SECRET, timestamp: "1795132800", body: BODY });
    expect(JSON.parse(result.stdout)).toMatchObject({
      url: `${app.url}/hook?k=1`,
      status: 200,
      response: { body: "ok" },
    });
    expect(app.requests).toHaveLength(1);
    const [{ path, headers, body } = { path: "", headers: [], body: Buffer.of() }] = app.requests;
    expect(path).toBe("/hook?k=1");
    expect(body.equals(BODY)).toBe(true);
    expect(headers).toEqual(
      expect.arrayContaining([
        ["Content-Type", "application/json"],
        ["X-Service-Event", "partner.test"],
        ["X-Service-Timestamp", "1795132800"],
        ["X-Service-Signature", signature],
        ["X-Odd", "one"],
      ]),
    );
  });

  it("sends a synthetic event without --body, and reads the body from stdin", async () => {
    const app = await startReceiver();
    const { send } = setUp();
    expect(await send(["--to", app.url, "--event", "partner.capability.changed"])).toMatchObject({ code: 0 });
    expect(
      await send(
        ["--to", app.url, "--body", "-", "--event", "partner.test", "--header", "content-type: text/plain"],
        BODY,
      ),
    ).toMatchObject({ code: 0 });
    for (const { headers, body } of app.requests)
      expect(verify({ secrets: [SECRET], headers, body })).toMatchObject({ verdict: "valid" });
    expect(JSON.parse(String(app.requests[0]?.body))).toMatchObject({ type: "partner.capability.changed" });
    expect(app.requests[1]?.headers.filter(([name]) => /^content-type$/i.test(name))).toEqual([
      ["content-type", "text/plain"],
    ]);
  });

  it.each([
    [
      401,
      "possible reasons: it changes the body before it verifies, verifies with another secret, or requires a login",
    ],
    [404, "possible reasons: the path"],
    [307, "redirects are not followed"],
    [500, "look at the log of the app"],
    [503, "possible reasons: the app is starting, overloaded or down"],
  ])("exits 5 with a hint when the receiver responds %i", async (status, hint) => {
    const app = await startReceiver((_, response) =>
      response.writeHead(status, { location: "/elsewhere" }).end("what it says"),
    );
    const { send } = setUp();
    const result = await send(["--to", app.url, "--json"]);
    expect(result).toMatchObject({ code: 5 });
    expect(errorOf(result)).toMatchObject({ code: "delivery_rejected", hint: expect.stringContaining(hint) });
    expect(JSON.parse(result.stdout)).toMatchObject({ status, response: { body: "what it says" } });
    expect(app.requests).toHaveLength(1);
  });

  it("trusts the certificate authority of --ca-file", async () => {
    const { url, requests } = await startScriptedService((_, response) => response.end(), { secure: true });
    const to = ["--to", url.replace("127.0.0.1", "localhost"), "--json"];
    const { send } = setUp();
    const untrusted = await send(to);
    expect([untrusted.code, errorOf(untrusted).code]).toEqual([6, "tls_error"]);
    expect(errorOf(untrusted).hint).toContain("--ca-file");
    const caFile = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    expect(await send([...to, "--ca-file", caFile])).toMatchObject({ code: 0 });
    expect(requests).toHaveLength(1);
  });

  type Respond = (response: ServerResponse) => void;
  const hang: Respond = () => {};
  const hangAfterHead: Respond = (response) => void response.writeHead(200).write("o");
  const close: Respond = (response) => void response.socket?.destroy();
  it.each([
    ["that does not listen", "connection_refused", null],
    ["that does not respond", "timeout", hang],
    ["that hangs after the headers", "timeout", hangAfterHead],
    ["that closes the socket", "connection_reset", close],
  ] as const)("exits 6 for a receiver %s", async (_, code, respond) => {
    const app = await startReceiver((_, response) => respond?.(response));
    if (respond === null) await new Promise((resolve) => app.server.close(resolve));
    const { send } = setUp();
    const result = await send(["--to", app.url, "--timeout", "300ms", "--json"]);
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({ code });
    expect(errorOf(result).message).not.toMatch(/ECONN|UND_ERR/);
  });

  it("reads only the beginning of an endless response", async () => {
    const app = await startReceiver((_, response) => void response.writeHead(200).write("x".repeat(100_000)));
    const { send } = setUp();
    const { code, stdout } = await send(["--to", app.url, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).response.body).toHaveLength(1_024);
  });

  it("prints the request with --dry-run, or as a curl command with --curl, and sends nothing", async () => {
    const app = await startReceiver();
    const { cwd, send } = setUp();
    const args = [
      "--to",
      app.url,
      "--body",
      "body.json",
      "--timestamp",
      "1795132800",
      "--event",
      "partner.test",
    ];
    const dryRun = await send([...args, "--dry-run"]);
    expect(dryRun).toMatchObject({ code: 0 });
    expect(dryRun.stdout).toContain(`POST ${app.url}/`);
    const { stdout } = await send([...args, "--curl"]);
    expect(app.requests).toEqual([]);
    await promisify(execFile)("bash", ["-c", stdout], { cwd });
    const [{ headers, body } = { headers: [], body: Buffer.of() }] = app.requests;
    expect(verify({ secrets: [SECRET], headers, body })).toMatchObject({ verdict: "valid" });
  });

  it.each([
    [["--to", "ftp://127.0.0.1/"], "option_invalid", 2],
    [["--to", "http://127.0.0.1:1/", "--header", "Authorization: Bearer x"], "option_invalid", 2],
    [["--to", "http://127.0.0.1:1/", "--header", "X-Service-Signature: 00"], "option_invalid", 2],
    [["--to", "http://127.0.0.1:1/", "--event", "line\nbreak"], "option_invalid", 2],
    [["--to", "http://127.0.0.1:1/", "--body", "-", "--secret-file", "-"], "option_conflict", 2],
  ] as const)("refuses %j", async (args, code, exitCode) => {
    const result = await setUp().send([...args, "--json"]);
    expect(result).toMatchObject({ code: exitCode, stdout: "" });
    expect(errorOf(result)).toMatchObject({ code });
  });
});
