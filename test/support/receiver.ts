import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { headerValues } from "../../src/domain/http-headers.ts";
import { listHeaders } from "../../src/domain/webhooks/headers.ts";
import { listenOnLoopback } from "./listen.ts";

/** A received request, with its headers in their original order and case. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

type Respond = (received: ReceivedRequest, response: ServerResponse, count: number) => unknown;

/** Responds with these statuses in order, and repeats the last one. */
export const respondWith =
  (...statuses: number[]): Respond =>
  (_received, response, count) =>
    void response.writeHead(statuses[Math.min(count, statuses.length) - 1] ?? 200).end("thanks");

/** Starts a receiver on loopback that records each request and calls `respond` for the response. */
export async function startReceiver(respond: Respond = (_, response) => void response.end("ok")) {
  const requests: ReceivedRequest[] = [];
  const counts = { connections: 0, inFlight: 0, most: 0 };
  const server = createServer(async (request, response) => {
    counts.inFlight += 1;
    counts.most = Math.max(counts.most, counts.inFlight);
    response.on("close", () => {
      counts.inFlight -= 1;
    });
    const received = {
      path: request.url ?? "",
      headers: pairHeaders(request),
      body: await readBytes(request),
    };
    await respond(received, response, requests.push(received));
  });
  server.on("connection", () => {
    counts.connections += 1;
  });
  const url = `http://${await listenOnLoopback(server)}`;
  return { url, requests, counts, port: (server.address() as AddressInfo).port, server };
}

/** The value of a header, whatever the case of its name; empty without the header. */
export const headerOf = (headers: ReceivedRequest["headers"], name: string): string =>
  headerValues(listHeaders(headers), name)[0] ?? "";

const pairHeaders = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : [],
  );

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
