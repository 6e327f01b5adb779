import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
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

const poster = (options: Partial<WebhookSenderOptions> = {}): WebhookSender => {
  const made = createWebhookSender({ allowPublic: false, timeoutMs: 5_000, wallClock: Date.now, ...options });
  onTestFinished(() => made.close());
  return made;
};

/** Posts once to a URL; there is an outcome, for nothing is closed meanwhile. */
async function posted(url: string, options: Partial<WebhookSenderOptions> = {}, body = '{"a":1}') {
  const outcome = await poster(options).send({ url, headers: HEADERS, body: Buffer.from(body) });
  if (!outcome) throw new Error("the poster was closed");
  return outcome;
}

const pem = (name: string) => readFileSync(new URL(`../../../../support/tls/${name}.pem`, import.meta.url));
const httpReceiver = (answer: RequestListener) => listenOnLoopback(createHttpServer(answer));
const httpsReceiver = (answer: RequestListener) =>
  listenOnLoopback(createHttpsServer({ key: pem("key"), cert: pem("cert") }, answer));
/** A receiver that gets the first bytes of each connection. */
const rawReceiver = (answer: (socket: Socket, head: string) => void) =>
  listenOnLoopback(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (head) => answer(socket, head.toString("latin1")));
    }),
  );
/** One that sends these bytes for an answer and leaves the connection open. */
const answering = (text: string) => rawReceiver((socket) => socket.write(text, "latin1"));

describe("what is sent", () => {
  it("has the headers as they are given and the body to the byte", async () => {
    const body = '{"text":"\u00e9\u2028","n":1.0}\n';
    const heads: string[] = [];
    const host = await rawReceiver((socket, head) => {
      heads.push(head);
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const outcome = await posted(`http://${host}/hooks/a%20b?x=1&y=%2F#gone`, {}, body);
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

  it("goes over connections that stand, and over new ones where a receiver closes them", async () => {
    let connections = 0;
    const server = createHttpServer((request, response) => {
      if (request.url === "/close") response.setHeader("Connection", "close");
      request.resume().on("end", () => response.end("ok"));
    }).on("connection", () => {
      connections += 1;
    });
    const host = await listenOnLoopback(server);
    const one = poster();
    const connectionsFor = async (path: string) => {
      const before = connections;
      for (let count = 0; count < 10; count += 1) {
        const outcome = await one.send({ url: `http://${host}${path}`, headers: [], body: Buffer.from("x") });
        expect(outcome).toMatchObject({ status: 200, error: null });
      }
      return connections - before;
    };
    // A second one is made while the first is looked after.
    expect(await connectionsFor("/keep")).toBeLessThanOrEqual(2);
    expect(await connectionsFor("/close")).toBeGreaterThanOrEqual(8);
  });

  it("goes to many receivers at once", async () => {
    const host = await httpReceiver((request, response) => {
      request.resume().on("end", () => setTimeout(() => response.end(request.url), 20));
    });
    const one = poster();
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        one.send({ url: `http://${host}/${at}`, headers: HEADERS, body: Buffer.from(`${at}`) }),
      ),
    );
    expect(outcomes.map((outcome) => String(outcome?.excerpt))).toEqual(outcomes.map((_, at) => `/${at}`));
  });
});

describe("what comes back", () => {
  it("is null if no response began", async () => {
    const outcome = await posted("http://127.0.0.1:1");
    expect(outcome).toMatchObject({ status: null, headers: null, excerpt: null });
    const empty = await posted(`http://${await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}`);
    expect(empty).toMatchObject({ status: 200, headers: [["Content-Length", "0"]] });
    expect(empty.excerpt).toHaveLength(0);
  });

  it("keeps status, headers as written, and body", async () => {
    const host = await answering(
      "HTTP/1.1 200 Fine\r\nX-Trace: a\r\nx-trace: b\r\nX-Latin: \xe9\r\nContent-Length: 3\r\n\r\n\x00\xffz",
    );
    const outcome = await posted(`http://${host}`);
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

  it.each([200, 201, 202, 204, 226, 299])("%d is a success", async (status) => {
    const host = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    expect(await posted(`http://${host}`)).toMatchObject({ status, error: null });
  });

  it.each([304, 400, 401, 404, 410, 429, 500, 503, 599])("%d is a failure", async (status) => {
    const host = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    const error = { code: "http_status", detail: `the receiver responded ${status}` };
    expect(await posted(`http://${host}`)).toMatchObject({ status, error });
  });

  it.each([301, 302, 303, 307, 308])("%d is a failure, and is not followed", async (status) => {
    const paths: (string | undefined)[] = [];
    const host = await httpReceiver((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { Location: "/hooks/?token=hidden" }).end();
    });
    expect((await posted(`http://${host}/hooks`)).error).toEqual({
      code: "redirect",
      detail: `the receiver responded ${status} and points to http://${host}/hooks/; redirects are never followed`,
    });
    expect(paths).toEqual(["/hooks"]);
  });

  it("may begin with interim responses", async () => {
    const host = await answering(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 201 X\r\nContent-Length: 2\r\n\r\nok",
    );
    expect(await posted(`http://${host}`)).toMatchObject({ status: 201, error: null });
  });

  it("may end with the connection, as in HTTP/1.0", async () => {
    const host = await rawReceiver((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nfine"));
    const outcome = await posted(`http://${host}`);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(String(outcome.excerpt)).toBe("fine");
  });

  it("may come before the request has been read", async () => {
    const host = await listenOnLoopback(
      createServer((socket) =>
        socket.on("error", () => {}).write("HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n"),
      ),
    );
    const { status, error } = await posted(`http://${host}`, {}, "x".repeat(5_000_000));
    expect(status ?? error?.code).toBeOneOf([200, "connection_reset"]);
  });

  it.each([16_384, 16_385, 10_000_000])("of %d bytes is read up to 16 KiB", async (size) => {
    let sent = 0;
    const host = await httpReceiver((request, response) => {
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
    const outcome = await posted(`http://${host}`);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(String(outcome.excerpt)).toBe("x".repeat(16_384));
    if (size > 1_000_000) {
      await sleep(50);
      expect(sent).toBeLessThan(size);
    }
  });

  it("may request a delay, in seconds or as a date", async () => {
    const asked = async (headers: string, status = 503) => {
      const host = await answering(`HTTP/1.1 ${status} X\r\n${headers}\r\nContent-Length: 0\r\n\r\n`);
      return (await posted(`http://${host}`, { wallClock: () => Date.parse("2026-11-20T00:00:00Z") }))
        .retryAfterMs;
    };
    expect(await asked("Retry-After: 120")).toBe(120_000);
    expect(await asked("retry-after: Fri, 20 Nov 2026 00:00:07 GMT")).toBe(7_000);
    expect(
      await asked("Retry-After: Fri, 20 Nov 2020 00:01:00 GMT\r\nDate: Fri, 20 Nov 2020 00:00:00 GMT"),
    ).toBe(60_000);
    expect(await asked("Retry-After: soon")).toBeNull();
    expect(await asked("X-Other: 1")).toBeNull();
    expect(await asked("Retry-After: 120", 200)).toBeNull();
  });
});

describe("a receiver that fails", () => {
  const failure = async (
    url: string,
    options: Partial<WebhookSenderOptions> = { timeoutMs: 300 },
    body?: string,
  ) => {
    const { status, error } = await posted(url, options, body);
    return [status, error?.code, error?.detail];
  };

  it("is down", async () => {
    const host = "127.0.0.1:1";
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "connection_refused",
      `nothing listens at ${host}`,
    ]);
    expect(await failure("http://localhost:1")).toEqual([
      null,
      "connection_refused",
      "nothing listens at localhost:1",
    ]);
  });

  it("has an unknown name", async () => {
    expect(await failure("http://nowhere.invalid/", {})).toEqual([
      null,
      "dns_error",
      expect.stringMatching(/^the name nowhere\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)$/),
    ]);
  });

  it("never responds", async () => {
    const host = await rawReceiver(() => {});
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "timeout",
      `${host} did not respond within 0.3 s`,
    ]);
  });

  it("never takes the body", async () => {
    const host = await listenOnLoopback(createServer((socket) => socket.pause()));
    const body = "x".repeat(20_000_000);
    expect(await failure(`http://${host}`, { timeoutMs: 300 }, body)).toEqual([
      null,
      "timeout",
      `${host} did not respond within 0.3 s`,
    ]);
  });

  it("sends its response for longer than the attempt may take", async () => {
    const host = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    expect(await failure(`http://${host}`)).toEqual([
      200,
      "timeout",
      `the response of ${host} (200) did not end within 0.3 s`,
    ]);
  });

  it("sends its headers too slowly", async () => {
    const host = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("X-More: y\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "timeout",
      `${host} did not respond within 0.3 s`,
    ]);
  });

  it("refuses without ending its response: the status counts", async () => {
    const host = await answering("HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nsorry");
    const outcome = await posted(`http://${host}`, { timeoutMs: 300 });
    expect(outcome).toMatchObject({ status: 500, error: { code: "http_status" } });
    expect(String(outcome.excerpt)).toBe("sorry");
  });

  it.each<[string, (socket: Socket) => void]>([
    ["with a FIN", (socket) => socket.end()],
    ["with a RST", (socket) => socket.resetAndDestroy()],
  ])("closes at once, %s", async (_how, close) => {
    const host = await rawReceiver(close);
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "connection_reset",
      `${host} closed the connection without a response`,
    ]);
  });

  it.each([
    ["with its length announced", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    [
      "with its length announced and the end, too",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhalf",
    ],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha"],
    [
      "in chunks, to the end",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
    ],
  ])("closes in the middle of its response, %s", async (_how, text) => {
    const host = await rawReceiver((socket) => socket.end(text));
    expect(await failure(`http://${host}`)).toEqual([
      200,
      "connection_reset",
      `${host} closed the connection in the middle of its response (200)`,
    ]);
  });

  it("sends more than it announced: the announced part counts", async () => {
    const host = await answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and much more");
    const one = poster();
    for (let count = 0; count < 2; count += 1) {
      const outcome = await one.send({ url: `http://${host}`, headers: [], body: Buffer.from("x") });
      expect(outcome).toMatchObject({ status: 200, error: null });
    }
  });

  it.each([
    ["garbage", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["HTTP/0.9", "<html>"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
    ["an unrequested upgrade", "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"],
  ])("responds with %s", async (_what, text) => {
    const host = await answering(text);
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "network_error",
      expect.stringMatching(`^${host} sent an invalid HTTP response \\(.+\\)$`),
    ]);
  });

  it("responds with too large headers", async () => {
    const host = await answering(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`);
    expect(await failure(`http://${host}`)).toEqual([
      null,
      "network_error",
      `the response headers of ${host} are too large`,
    ]);
  });

  it("has an untrusted certificate", async () => {
    const host = await httpsReceiver((_request, response) => response.end());
    expect(await failure(`https://${host}`)).toEqual([
      null,
      "tls_error",
      expect.stringMatching(`^the certificate of ${host} is not trusted \\(\\w+\\)$`),
    ]);
  });

  it("speaks plain HTTP on an https URL", async () => {
    const host = await httpReceiver((_request, response) => response.end());
    expect(await failure(`https://${host}`)).toEqual([
      null,
      "tls_error",
      expect.stringMatching(`^TLS connection to ${host} failed \\(\\w+\\)$`),
    ]);
  });

  it("speaks TLS on an http URL", async () => {
    const host = await httpsReceiver((_request, response) => response.end());
    const [status, code] = await failure(`http://${host}`);
    expect([status, code]).toEqual([
      expect.toBeOneOf([null, 400]),
      expect.stringMatching(/^(connection_reset|network_error|http_status)$/),
    ]);
  });

  it("hangs up in the middle of a TLS handshake, or hangs there", async () => {
    const cut = await rawReceiver((socket) => socket.end());
    expect(await failure(`https://${cut}`)).toEqual([
      null,
      "connection_reset",
      `${cut} closed the connection before anything could be sent`,
    ]);
    const mute = await rawReceiver(() => {});
    expect(await failure(`https://${mute}`)).toEqual([
      null,
      "timeout",
      `no connection to ${mute} within 0.3 s`,
    ]);
  });

  it.each([
    ["http://169.254.169.254/latest/meta-data/", "169.254.169.254"],
    ["http://2852039166/", "169.254.169.254"],
    ["http://[::ffff:169.254.169.254]/", "::ffff:a9fe:a9fe"],
    ["https://[fe80::1]:8443/", "fe80::1"],
  ])("has a forbidden address: %s", async (url, address) => {
    expect(await failure(url, { allowPublic: true })).toEqual([
      null,
      "address_blocked",
      `${address} is a link-local, metadata or reserved address; deliveries never go there`,
    ]);
  });

  it("has a public address without permission", async () => {
    expect(await failure("http://8.8.8.8/")).toEqual([
      null,
      "address_blocked",
      "8.8.8.8 is a public address; deliveries go there only with --allow-public-webhooks",
    ]);
  });
});

describe("a connection that has closed", () => {
  it("leaves no listener on a signal that outlives it", async () => {
    const signals = new Set<AbortSignal>();
    const { addEventListener } = EventTarget.prototype;
    const listen = vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(function (
      this: EventTarget,
      ...args
    ) {
      if (this instanceof AbortSignal) signals.add(this);
      addEventListener.apply(this, args);
    });
    onTestFinished(() => listen.mockRestore());
    const host = await httpReceiver((_, response) => response.setHeader("Connection", "close").end());
    const secure = await httpsReceiver((_, response) => response.end());
    const one = poster();
    for (const url of [`http://${host}`, `https://${secure}`, "http://127.0.0.1:1", "http://unknown.invalid"])
      for (let count = 0; count < 5; count += 1)
        await one.send({ url, headers: HEADERS, body: Buffer.from("x") });
    const left = [...signals].map((signal) => getEventListeners(signal, "abort").length);
    expect(left.filter((count) => count > 0)).toEqual([]);
  });

  it("is not kept in memory", async () => {
    const gc = collector();
    const sockets: WeakRef<object>[] = [];
    const note = (message: unknown) => {
      sockets.push(new WeakRef((message as { socket: object }).socket));
    };
    subscribe("net.client.socket", note);
    onTestFinished(() => void unsubscribe("net.client.socket", note));
    const host = await httpReceiver((_, response) => response.setHeader("Connection", "close").end());
    const one = poster();
    for (const url of [`http://${host}`, "http://127.0.0.1:1"])
      for (let count = 0; count < 20; count += 1)
        await one.send({ url, headers: HEADERS, body: Buffer.from("x") });
    expect(sockets).toHaveLength(40);
    let kept = sockets.length;
    for (let round = 0; round < 5; round += 1) {
      await sleep(20);
      gc();
      kept = sockets.filter((socket) => socket.deref() !== undefined).length;
    }
    // The last connection of each receiver may still be referenced.
    expect(kept).toBeLessThanOrEqual(2);
  });
});

/** Node's garbage collector, which its command line exposes only from the start. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

describe("closing", () => {
  it("ends the attempts in flight at once without a result", async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(
        socket
          .resume()
          .on("error", () => {})
          .on("close", () => sockets.delete(socket)),
      );
    });
    const host = await listenOnLoopback(server);
    const one = poster({ timeoutMs: 60_000 });
    const mute = (url: string) => one.send({ url, headers: HEADERS, body: Buffer.from("x") });
    // Waiting for an answer, for TLS, and for a connection that is about to begin.
    const underway = [mute(`http://${host}/a`), mute(`https://${host}/b`)];
    await expect.poll(() => sockets.size).toBe(2);
    underway.push(mute(`http://${host}/c`), mute("http://localhost:1"));
    await one.close();
    expect(await Promise.all(underway)).toEqual([null, null, null, null]);
    expect(await mute(`http://${host}/d`)).toBeNull();
    await expect.poll(() => sockets.size).toBe(0);
  });
});
