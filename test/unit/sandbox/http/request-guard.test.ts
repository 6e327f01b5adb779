import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestGuard } from "../../../../sandbox/http/request-guard.ts";
import type { Sandbox, SandboxOptions } from "../../../../sandbox/index.ts";
import { startSandbox } from "../../../../sandbox/index.ts";
import { openSandbox } from "../../../support/sandbox.ts";
import { exchangeText } from "../../../support/sandbox-requests.ts";

/** Sends raw text on a connection of its own, and resolves with the response. */
async function exchange(sandbox: Sandbox, lines: readonly string[]) {
  const received = await exchangeText(sandbox, `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body };
}

/** Of a request to `/v1/clients` with the seeded credential. */
async function statusFor(sandbox: Sandbox, ...hosts: string[]): Promise<number> {
  const headers = [...hosts.map((host) => `Host: ${host}`), authorization(sandbox)];
  return (await exchange(sandbox, ["GET /v1/clients HTTP/1.1", ...headers])).status;
}

const authorization = ({ credentials }: Sandbox): string =>
  `Authorization: Bearer ${credentials.sandbox.apiKey}`;

describe("a sandbox on loopback", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ allowHosts: ["box.test", "Sandbox", "[fe80::1]"] });
  });
  afterAll(() => sandbox.close());

  it.each([
    ...["127.0.0.1", "127.0.0.1:4750", "127.8.9.10", "[::1]", "[::1]:80"],
    ...["localhost", "LOCALHOST:1", "app.localhost", "localhost.", "localhost.:4750"],
    ...["host.docker.internal", "host.containers.internal:4750", "Host.Docker.Internal.:80"],
    ...["box.test", "box.test.", "BOX.test:8080", "sandbox:4750", "[FE80::1]:4750"],
  ])("answers to the host %s", async (host) => {
    expect(await statusFor(sandbox, host)).toBe(200);
    // Another one in between: what was right a moment ago is not remembered for it.
    expect(await statusFor(sandbox, "evil.example")).toBe(421);
    expect(await statusFor(sandbox, host)).toBe(200);
  });

  it.each([
    ...["evil.example", "evil.example:4750", "127.0.0.1.evil.example", "localhost.evil.example:80"],
    ...["mylocalhost", "localhost..", ".", "", "0.0.0.0", "10.0.0.1", "192.168.1.7:4750", "[fe80::2]"],
    ...["a.box.test", "docker.internal", "evil.host.docker.internal"],
    ...["evil@127.0.0.1", "127.0.0.1@evil", "localhost ,evil", "localhost, evil", "localhost:80:80", "[::1"],
    ...["localhost:", "localhost:x", "localhost:123456", "http://localhost", "localhost/", "::1"],
  ])("refuses the host %j with 421", async (host) => {
    expect(await statusFor(sandbox, host)).toBe(421);
  });

  it.each([
    ...[
      "GET /",
      "GET /v1/clients",
      "POST /v1/diligence",
      "GET /nothing",
      "POST /v1/oauth/token",
      "OPTIONS *",
    ],
    ...["GET /_sandbox/health", "GET /_sandbox/state", "GET /_sandbox/ui", "GET /_sandbox/nothing"],
    ...["POST /_sandbox/sink/default"],
  ])("refuses another host before %s is looked at, with a problem that names the option", async (request) => {
    const { status, head, body } = await exchange(sandbox, [
      `${request} HTTP/1.1`,
      "Host: evil.example:4750",
    ]);
    expect([status, JSON.parse(body)]).toEqual([
      421,
      expect.objectContaining({
        code: "host_not_allowed",
        detail: expect.stringContaining('"evil.example:4750"'),
      }),
    ]);
    expect(body).toContain("--allow-host evil.example");
    expect(body).toContain("allowHosts");
    expect(head).not.toMatch(/access-control/i);
  });

  it("does not repeat what could not be the name of a host in the command that it shows", async () => {
    const { body } = await exchange(sandbox, ["GET / HTTP/1.1", "Host: $(reboot)"]);
    expect(JSON.parse(body).detail).toContain("--allow-host NAME");
  });

  it("checks the host before an expectation", async () => {
    const { status } = await exchange(sandbox, ["GET / HTTP/1.1", "Host: evil.example", "Expect: magic"]);
    expect(status).toBe(421);
  });

  it.each([
    ["http://127.0.0.1/v1/clients", 200],
    ["HTTP://LOCALHOST:1/v1/clients?limit=1", 200],
    ["https://box.test./v1/clients", 200],
    ["http://evil.example/v1/clients", 421],
    ["http://localhost@evil.example/v1/clients", 421],
    ["http://evil.example@localhost/v1/clients", 421],
    ["http://localhost\\@evil.example/v1/clients", 400],
    ["http://evil.example", 421],
    ["http://evil.example?/v1/clients", 421],
    ["http:///v1/clients", 400],
    ["http:evil.example/v1/clients", 400],
    ["ftp://127.0.0.1/v1/clients", 400],
    ["urn:claims", 400],
  ])("answers the absolute target %s with %i", async (target, expected) => {
    const lines = [`GET ${target} HTTP/1.1`, "Host: 127.0.0.1", authorization(sandbox)];
    const { status, body } = await exchange(sandbox, lines);
    expect([status, body]).toEqual([expected, expect.any(String)]);
  });

  it("checks the Host next to an absolute target, too", async () => {
    const lines = ["GET http://127.0.0.1/v1/clients HTTP/1.1", "Host: evil.example", authorization(sandbox)];
    expect((await exchange(sandbox, lines)).status).toBe(421);
  });

  it("answers HTTP/1.0 without a Host, and checks one that is there", async () => {
    const lines = ["GET /v1/clients HTTP/1.0", authorization(sandbox)];
    expect((await exchange(sandbox, lines)).status).toBe(200);
    expect((await exchange(sandbox, [...lines, "Host: evil.example"])).status).toBe(421);
    const absolute = ["GET http://evil.example/v1/clients HTTP/1.0", authorization(sandbox)];
    expect((await exchange(sandbox, absolute)).status).toBe(421);
  });

  it("refuses two Host headers with 400, also two equal ones", async () => {
    expect(await statusFor(sandbox, "127.0.0.1", "evil.example")).toBe(400);
    expect(await statusFor(sandbox, "127.0.0.1", "127.0.0.1")).toBe(400);
  });

  it("refuses two different Authorization headers with 400, and takes two equal ones", async () => {
    const send = async (second: string) => {
      const lines = ["GET /v1/clients HTTP/1.1", "Host: localhost", authorization(sandbox), second];
      return exchange(sandbox, lines);
    };
    expect((await send(authorization(sandbox).replace("Authorization", "AUTHORIZATION"))).status).toBe(200);
    const { status, body } = await send("authorization: Bearer sk_sandbox_other");
    expect([status, JSON.parse(body).code]).toEqual([400, "malformed_request"]);
    expect(body).toContain("Authorization");
  });
});

describe("a sandbox beyond loopback", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ host: "0.0.0.0", allowHosts: ["sandbox"] });
  });
  afterAll(() => sandbox.close());

  it.each(["sandbox:4750", "partners.example", "10.0.0.1", "any:80:80"])(
    "answers /v1 to the host %s, because its credentials are random",
    async (host) => {
      expect(await statusFor(sandbox, host)).toBe(200);
    },
  );

  it.each([
    ["127.0.0.1:80", 200],
    ["192.168.1.7", 200],
    ["[fe80::1]:9", 200],
    ["localhost", 200],
    ["host.docker.internal", 200],
    ["sandbox:4750", 200],
    ["sandbox.", 200],
    ["evil.example", 421],
    ["1.2.3.4.evil.example", 421],
    ["[evil]", 421],
    ["1.2.3", 421],
    ["", 421],
  ])("answers /_sandbox to the host %j with %i", async (host, expected) => {
    const health = await exchange(sandbox, ["GET /_sandbox/health HTTP/1.1", `Host: ${host}`]);
    expect(health.status).toBe(expected);
    const absolute = ["GET http://localhost/_sandbox/health HTTP/1.1", `Host: ${host}`];
    expect((await exchange(sandbox, absolute)).status).toBe(expected);
  });

  it.each(["http://evil.example/_sandbox/health", "http://evil.example/_sandbox?x"])(
    "refuses the absolute target %s of its control API",
    async (target) => {
      expect((await exchange(sandbox, [`GET ${target} HTTP/1.1`, "Host: 127.0.0.1"])).status).toBe(421);
    },
  );
});

it("counts the name on which it listens beyond loopback as its own, and no other", () => {
  const guard = createRequestGuard(["Box.local"], []);
  const statusOf = (host: string) => {
    const request = { httpVersion: "1.1", rawHeaders: ["Host", host], url: "/_sandbox/state" };
    return guard(request as IncomingMessage)?.status ?? null;
  };
  expect(["box.local:4750", "10.0.0.1", "other.local"].map(statusOf)).toEqual([null, null, 421]);
});

it.each([
  [["evil:80"]],
  [["http://evil"]],
  [[""]],
  [["a b"]],
  [["*"]],
  [["::1"]],
  ["box.test"],
  [[1]],
  [null],
])("startSandbox() refuses allowHosts: %j", async (allowHosts) => {
  await expect(startSandbox({ allowHosts } as SandboxOptions)).rejects.toMatchObject({
    code: "option_invalid",
    option: "allowHosts",
    hint: expect.stringContaining("without a port"),
  });
});
