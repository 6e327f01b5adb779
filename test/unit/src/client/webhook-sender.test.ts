import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { sendOnce } from "../../../../src/client/webhook-sender.ts";
import { listenForDeliveries } from "../../../support/receivers/listen.ts";

const optionsFor = (url: string) => ({
  url,
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  now: Date.now,
  sleep: (milliseconds: number, signal?: AbortSignal) => sleep(milliseconds, undefined, signal && { signal }),
});

const BODY = Buffer.from('{"note":"No\u00ebl"}');

it("sendOnce sends a body in two parts, which the receiver gets one by one, with its length", async () => {
  const url = await listenForDeliveries(async (request, response) => {
    const chunks = (await request.toArray()) as Buffer[];
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    response.end(JSON.stringify({ chunks: chunks.map((chunk) => chunk.toString("hex")), length, encoding }));
  });
  const { status, body } = await sendOnce(optionsFor(url), ["X-Service-Event", "partner.test"], BODY, 12);
  expect(status).toBe(200);
  expect(JSON.parse(body.toString())).toEqual({
    chunks: [BODY.subarray(0, 12).toString("hex"), BODY.subarray(12).toString("hex")],
    length: String(BODY.length),
  });
});

it("sendOnce reads a response that comes before the second part", async () => {
  const url = await listenForDeliveries((request, response) => {
    request.once("data", () => response.writeHead(413, { connection: "close" }).end("too large"));
  });
  const { status, body } = await sendOnce(optionsFor(url), [], BODY, 12);
  expect([status, body.toString()]).toEqual([413, "too large"]);
});

it("sendOnce stops between the two parts when its signal is aborted", async () => {
  const controller = new AbortController();
  const url = await listenForDeliveries((request) => {
    request.once("data", () => controller.abort());
  });
  const options = { ...optionsFor(url), signal: controller.signal, timeoutMs: 60_000 };
  await expect(sendOnce(options, [], BODY, 12)).rejects.toMatchObject({ kind: "interrupted" });
});
