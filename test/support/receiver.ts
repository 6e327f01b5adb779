import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { headerValues, listHeaders } from "../../src/domain/webhooks/headers.ts";
import { listenOnLoopback } from "./listen.ts";

/** A received request, with its headers in their original order and case. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Starts a receiver on loopback that records each request and calls `respond` for the response. */
export async function startReceiver(
  respond: (received: ReceivedRequest, response: ServerResponse, count: number) => void = (_, response) =>
    response.end("ok"),
) {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const received = {
      path: request.url ?? "",
      headers: pairHeaders(request),
      body: await readBytes(request),
    };
    respond(received, response, requests.push(received));
  });
  const url = `http://${await listenOnLoopback(server)}`;
  return { url, requests, port: (server.address() as AddressInfo).port, server };
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
