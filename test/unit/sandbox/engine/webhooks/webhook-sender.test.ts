import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createWebhookSender,
  type WebhookSender,
  type WebhookSenderOptions,
} from "../../../../../sandbox/engine/webhooks/webhook-sender.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";

const HEADERS = [
  ["Content-Type", "application/json"],
  ["X-Service-Event", "partner.test"],
  ["x-LOWER-upper", "a  b"],
  ["X-Service-Timestamp", "1763596800"],
] as const;

const createSender = (options: Partial<WebhookSenderOptions> = {}): WebhookSender => {
  const sender = createWebhookSender({
    allowPublic: false,
    timeoutMs: 5_000,
    wallClock: Date.now,
    ...options,
  });
  onTestFinished(() => sender.close());
  return sender;
};

/** Sends one delivery to a URL and returns its outcome. */
async function sendOnce(url: string, options: Partial<WebhookSenderOptions> = {}, body = '{"a":1}') {
  const outcome = await createSender(options).send({ url, headers: HEADERS, body: Buffer.from(body) });
  if (!outcome) throw new Error("the sender was closed");
  return outcome;
}

const readPem = (name: string) =>
  readFileSync(new URL(`../../../../support/tls/${name}.pem`, import.meta.url));
const startHttpReceiver = (listener: RequestListener) => listenOnLoopback(createHttpServer(listener));
const startHttpsReceiver = (listener: RequestListener) =>
  listenOnLoopback(createHttpsServer({ key: readPem("key"), cert: readPem("cert") }, listener));
/** A TCP server whose listener gets the first bytes of each connection. */
const startRawReceiver = (respond: (socket: Socket, head: string) => void) =>
  listenOnLoopback(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (head) => respond(socket, head.toString("latin1")));
    }),
  );
/** A receiver that responds with these bytes and leaves the connection open. */
const startResponding = (text: string) => startRawReceiver((socket) => socket.write(text, "latin1"));

it("the request of WebhookSender.send has exactly the given headers and body", async () => {
  const body = '{"text":"\u00e9\u2028","n":1.0}\n';
  const heads: string[] = [];
  const host = await startRawReceiver((socket, head) => {
    heads.push(head);
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const outcome = await sendOnce(`http://${host}/hooks/a%20b?x=1&y=%2F#gone`, {}, body);
  expect(outcome).toMatchObject({ status: 204, error: null, retryAfterMs: null, headers: [] });
  const [head = "", sent] = (heads[0] ?? "").split("\r\n\r\n");
  expect(Buffer.from(sent ?? "", "latin1").toString()).toBe(body);
  expect(head.split("\r\n")).toEqual([
    "POST /hooks/a%20b?x=1&y=%2F HTTP/1.1",
    `host: ${host}`,
    "connection: keep-alive",
    ...HEADERS.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ]);
});

describe("the outcome of WebhookSender.send", () => {
  it("has no status if no response began", async () => {
    const outcome = await sendOnce("http://127.0.0.1:1");
    expect(outcome).toMatchObject({ status: null, headers: null, excerpt: null });
    const empty = await sendOnce(
      `http://${await startResponding("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}`,
    );
    expect(empty).toMatchObject({ status: 200, headers: [["Content-Length", "0"]] });
    expect(empty.excerpt).toHaveLength(0);
  });

  it("has the status, the unchanged headers and the body", async () => {
    const host = await startResponding(
      "HTTP/1.1 200 Fine\r\nX-Trace: a\r\nx-trace: b\r\nX-Latin: \xe9\r\nContent-Length: 3\r\n\r\n\x00\xffz",
    );
    const outcome = await sendOnce(`http://${host}`);
    expect(outcome).toMatchObject({
      status: 200,
      error: null,
      headers: [
        ["X-Trace", "a"],
        ["x-trace", "b"],
        ["X-Latin", "\u00e9"],
        ["Content-Length", "3"],
      ],
    });
    expect([...(outcome.excerpt ?? [])]).toEqual([0, 255, 122]);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
  });

  it.each([200, 201, 202, 204, 226, 299])("is a success for %d", async (status) => {
    const host = await startResponding(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    expect(await sendOnce(`http://${host}`)).toMatchObject({ status, error: null });
  });

  it.each([304, 400, 401, 404, 410, 429, 500, 503, 599])("is a failure for %d", async (status) => {
    const host = await startResponding(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    const error = { code: "http_status", detail: `the receiver responded ${status}` };
    expect(await sendOnce(`http://${host}`)).toMatchObject({ status, error });
  });

  it.each([301, 302, 303, 307, 308])(
    "is a failure for the redirect %d, which is not followed",
    async (status) => {
      const paths: (string | undefined)[] = [];
      const host = await startHttpReceiver((request, response) => {
        paths.push(request.url);
        response.writeHead(status, { Location: "/hooks/?token=hidden" }).end();
      });
      expect((await sendOnce(`http://${host}/hooks`)).error).toEqual({
        code: "redirect",
        detail: `the receiver responded ${status} and points to http://${host}/hooks/; redirects are never followed`,
      });
      expect(paths).toEqual(["/hooks"]);
    },
  );

  it.each([16_384, 16_385, 10_000_000])("has at most 16 KiB of a body of %d bytes", async (size) => {
    let sent = 0;
    const host = await startHttpReceiver((request, response) => {
      request.resume();
      const chunk = Buffer.alloc(65_536, "x");
      const more = () => {
        while (sent < size && !response.destroyed) {
          const part = chunk.subarray(0, Math.min(chunk.length, size - sent));
          sent += part.length;
          if (!response.write(part)) return response.once("drain", more);
        }
        return response.end();
      };
      more();
    });
    const outcome = await sendOnce(`http://${host}`);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(String(outcome.excerpt)).toBe("x".repeat(16_384));
    if (size > 1_000_000) {
      await sleep(50);
      expect(sent).toBeLessThan(size);
    }
  });
});

describe("WebhookSender.send fails if the receiver", () => {
  const failure = async (
    url: string,
    options: Partial<WebhookSenderOptions> = { timeoutMs: 300 },
    body?: string,
  ) => {
    const { status, error } = await sendOnce(url, options, body);
    return [status, error?.code, error?.detail];
  };

  const CLOSED_AT_ONCE = [null, "connection_reset", "HOST closed the connection without a response"] as const;
  /** Writes this again and again until the connection is closed. */
  const trickle = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on("close", () => clearInterval(timer));
  };

  it.each(["127.0.0.1:1", "localhost:1"])("does not listen: %s", async (host) => {
    const detail = `nothing listens at ${host}`;
    expect(await failure(`http://${host}`)).toEqual([null, "connection_refused", detail]);
  });

  it("has an unknown host name", async () => {
    expect(await failure("http://nowhere.invalid/", {})).toEqual([
      null,
      "dns_error",
      expect.stringMatching(/^the name nowhere\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)$/),
    ]);
  });

  it.each<[string, (socket: Socket) => void, number | null, string, string]>([
    ["never responds", () => {}, null, "timeout", "HOST did not respond within 0.3 s"],
    [
      "does not end its response before the timeout",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        trickle(socket, "x");
      },
      200,
      "timeout",
      "the response of HOST (200) did not end within 0.3 s",
    ],
    ["closes at once, with a FIN", (socket) => socket.end(), ...CLOSED_AT_ONCE],
    ["closes at once, with a RST", (socket) => socket.resetAndDestroy(), ...CLOSED_AT_ONCE],
    [
      "responds with headers that are too large",
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`),
      null,
      "network_error",
      "the response headers of HOST are too large",
    ],
  ])("%s", async (_what, respond, status, code, detail) => {
    const host = await startRawReceiver(respond);
    expect(await failure(`http://${host}`)).toEqual([status, code, detail.replace("HOST", host)]);
  });

  it.each([
    ["with Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ["with chunked encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha"],
  ])("closes in the middle of its response, %s", async (_how, text) => {
    const host = await startRawReceiver((socket) => socket.end(text));
    const detail = `${host} closed the connection in the middle of its response (200)`;
    expect(await failure(`http://${host}`)).toEqual([200, "connection_reset", detail]);
  });

  it.each([
    ["garbage", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
    ["an unrequested upgrade", "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"],
  ])("responds with %s", async (_what, text) => {
    const host = await startResponding(text);
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "network_error",
      expect.stringMatching(`^${host} sent an invalid HTTP response \\(.+\\)$`),
    ]);
  });

  it.each([
    ["has an untrusted certificate", startHttpsReceiver, "the certificate of HOST is not trusted"],
    ["speaks plain HTTP on an https URL", startHttpReceiver, "TLS connection to HOST failed"],
  ])("%s", async (_what, start, detail) => {
    const host = await start((_request, response) => response.end());
    const says = expect.stringMatching(`^${detail.replace("HOST", host)} \\(\\w+\\)$`);
    expect(await failure(`https://${host}`)).toEqual([null, "tls_error", says]);
  });

  it("closes the connection during the TLS handshake, or never completes it", async () => {
    const cut = await startRawReceiver((socket) => socket.end());
    const closed = `${cut} closed the connection before anything could be sent`;
    expect(await failure(`https://${cut}`)).toEqual([null, "connection_reset", closed]);
    const silent = await startRawReceiver(() => {});
    const late = `no connection to ${silent} within 0.3 s`;
    expect(await failure(`https://${silent}`)).toEqual([null, "timeout", late]);
  });

  it("has a forbidden address, or a public one without permission", async () => {
    const forbidden =
      "169.254.169.254 is a link-local, metadata or reserved address; deliveries never go there";
    const isBlocked = await failure("http://2852039166/", { allowPublic: true });
    expect(isBlocked).toEqual([null, "address_blocked", forbidden]);
    expect(await failure("http://8.8.8.8/")).toEqual([
      null,
      "address_blocked",
      "8.8.8.8 is a public address; deliveries go there only with allowPublicWebhooks (--allow-public-webhooks)",
    ]);
  });
});
