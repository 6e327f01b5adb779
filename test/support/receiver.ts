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

/** A receiver on loopback that keeps the bytes of each request and calls `answer` for the response. */
export async function startReceiver(
  answer: (got: ReceivedRequest, response: ServerResponse, count: number) => void = (_, response) =>
    response.end("ok"),
) {
  const got: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const each = { path: request.url ?? "", headers: pairs(request), body: await bytesOf(request) };
    answer(each, response, got.push(each));
  });
  const url = `http://${await listenOnLoopback(server)}`;
  return { url, got, port: (server.address() as AddressInfo).port, server };
}

/** The value of a header, in whatever case its name came; empty where there is none. */
export const headerOf = (headers: ReceivedRequest["headers"], name: string): string =>
  headerValues(listHeaders(headers), name)[0] ?? "";

const pairs = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : [],
  );

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}
