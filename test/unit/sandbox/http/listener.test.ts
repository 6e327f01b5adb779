import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startSandbox } from "../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { exchangeText } from "../../../support/sandbox-requests.ts";

function parseResponse(response: string) {
  const [head = "", body = ""] = response.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
  return { status: Number(line.split(" ")[1]), headers, body: JSON.parse(body) };
}

const GET = "GET /v1/docs/openapi HTTP/1.1\r\n";

const CASES: [string, string, number, string][] = [
  ["a malformed request line", "nonsense\r\n\r\n", 400, "malformed_request"],
  ["a missing Host", `${GET}\r\n`, 400, "malformed_request"],
  ["a target that is not a URL", "GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed_request"],
  ["a target without a host", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed_request"],
  ["a long header", `${GET}Host: a\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`, 431, "headers_too_large"],
  ["an unsupported expectation", `${GET}Host: localhost\r\nExpect: foo\r\n\r\n`, 417, "expectation_failed"],
  [
    "a bad chunk",
    "POST /v1/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
      "Transfer-Encoding: chunked\r\n\r\nnot-a-size\r\n",
    400,
    "malformed_request",
  ],
];

test.each(CASES)(
  "a request with %s gets a problem and Connection: close",
  async (_name, text, status, code) => {
    const sandbox = await sandboxForTest();
    const response = parseResponse(await exchangeText(sandbox, text));
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({
      type: "about:blank",
      status,
      code,
      detail: expect.stringMatching(/\w/),
    });
    expect(response.headers).toMatchObject({
      "content-type": "application/problem+json",
      connection: "close",
      "x-request-id": response.body.requestId,
    });
    expect(Number(response.headers["content-length"])).toBe(Buffer.byteLength(JSON.stringify(response.body)));
  },
);

test("a pipelined request ends with its connection, also while an earlier one waits", async () => {
  const sandbox = await startSandbox();
  const body = JSON.stringify({ request: { operation: "clients.list" }, timeoutMs: 600_000 });
  const head = `POST /_sandbox/wait HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sandbox.controlToken}\r\n`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(sandbox.port, "127.0.0.1", () => socket.write(request.repeat(2)));
  await new Promise((resolve) => socket.once("connect", resolve));
  // A response over another connection shows that the bytes of the first one have arrived.
  await fetch(`${sandbox.url}/_sandbox/health`);
  socket.destroy();
  await sandbox.close();
});

test("close() does not wait for a refused connection that stays open", async () => {
  const sandbox = await startSandbox();
  const socket = connect({ port: sandbox.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.write("nonsense\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  await sandbox.close();
  socket.destroy();
});

test("an idle connection survives a reset, and ends with close()", async () => {
  const sandbox = await startSandbox();
  const socket = connect(sandbox.port, "127.0.0.1");
  const request = "GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const send = async () => {
    socket.write(request);
    return String((await once(socket, "data"))[0]);
  };
  expect(await send()).toMatch(/^HTTP\/1.1 200 /);
  await sandbox.reset();
  expect(await send()).toMatch(/^HTTP\/1.1 200 /);
  const ended = once(socket, "close");
  await sandbox.close();
  await ended;
});

test("a response that a fault holds ends at a reset", async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ match: { operation: "clients.list" }, then: { hang: true } });
  const held = fetch(`${sandbox.url}/v1/clients`).catch((error: Error) => error.message);
  await expect.poll(() => sandbox.faults.list()[0]?.applied).toBe(1);
  await sandbox.reset();
  expect(await held).toBe("fetch failed");
});
