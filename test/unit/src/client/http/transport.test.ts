import { Buffer } from "node:buffer";
import { getEventListeners } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { catchError, clientForTest } from "../../../../support/client.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";
import { sendJson, startScriptedService } from "../../../../support/scripted-service.ts";

const read = { method: "GET", path: "/" } as const;

it("the signal of a client has no listener after requests over many connections", async () => {
  const { signal } = new AbortController();
  const { url } = await startScriptedService((_, response) =>
    sendJson(response, 200, {}, { connection: "close" }),
  );
  const client = clientForTest(url, { signal });
  for (let count = 0; count < 12; count += 1) await client.sendRaw(read);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("a connection that ends while its response is read slowly ends no process", async () => {
  const body = Buffer.alloc(140_000, "a");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), body])),
    );
  });
  const client = clientForTest(`http://${await listenOnLoopback(server)}`);
  const response = await client.streamRaw(read);
  const readSlowly = async () => {
    for await (const _ of response.body) await sleep(20);
  };
  expect(await catchError(readSlowly())).toMatchObject({ kind: "unreachable" });
});
