import { Buffer } from "node:buffer";
import fc, { type Arbitrary } from "fast-check";
import { defineServiceTarget } from "../service.ts";
import {
  applyChanges,
  type Change,
  changeOf,
  joinPieces,
  latin1,
  mostly,
  type Pieces,
  repetition,
} from "../text.ts";

/** What a connection carries: one or more requests, changed, in chunks of these sizes. */
interface Input {
  readonly pieces: Pieces;
  readonly changes: readonly Change[];
  readonly chunkSizes: readonly number[];
}

const HOST = "Host: 127.0.0.1\r\n";
const KEY = "Authorization: Bearer @key@\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";

const REQUESTS = [
  `GET /v1/clients?limit=2 HTTP/1.1\r\n${HOST}${KEY}\r\n`,
  `GET http://127.0.0.1/v1/claims HTTP/1.1\r\n${HOST}${KEY}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  `GET /v1/webhooks/endpoints HTTP/1.0\r\n${KEY}\r\n`,
  `POST /v1/clients HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Content-Length: 15\r\n\r\n{"name":"Acme"}`,
  `POST /v1/clients HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 15\r\n\r\n{"name":"Acme"}`,
  `POST /v1/clients HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n8;a=b\r\n{"name":\r\n7\r\n"Acme"}\r\n0\r\nTrailer: x\r\n\r\n`,
  `POST /v1/oauth/token HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\ngrant_type=client_credentials`,
  `POST /api/diligence/submit HTTP/1.1\r\n${HOST}X-API-Key: @key@\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 73\r\n\r\n--b\r\nContent-Disposition: form-data; name="seller_name"\r\n\r\nAcme\r\n--b--\r\n`,
];

const DELIMITERS = [
  ...["\r\n", "\r\n\r\n", "\n", "\r", "\0", " ", ":", "\t", "\xff", "%", "?", "#", "/", "//", "..", "\x7f"],
  ...["Content-Length: 5\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n"],
  ...["Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Content-Encoding: gzip\r\n"],
  ...["Expect: 200-ok\r\n", "Upgrade: h2c\r\nConnection: Upgrade\r\n", "Connection: close\r\n", HOST],
  ...[
    "HTTP/1.0",
    "HTTP/2.0",
    "CONNECT",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "ffffffffffffffff\r\n",
    "0\r\n\r\n",
  ],
];

const repeated = ["A: b\r\n", "a", "\r\n", " ", "/", "GET / HTTP/1.1\r\n", ";a", "0", "\0"];

const piece: Arbitrary<Pieces[number]> = mostly(
  fc.constantFrom(...REQUESTS),
  fc.oneof(latin1, repetition(repeated, 20_000)),
  6,
);

const input: Arbitrary<Input> = fc.record({
  pieces: mostly(
    piece.map((each): Pieces => [each]),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    3,
  ),
  changes: fc.array(changeOf(DELIMITERS), { maxLength: 4 }),
  chunkSizes: mostly(
    fc.constant([]),
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
    3,
  ),
});

/** So many chunks at most; what is left is the last one. */
const MAX_CHUNKS = 12;

/** 2. Raw bytes on the socket. */
export const bytes = defineServiceTarget<Input>({
  name: "bytes",
  arbitrary: input,
  isVaried: true,
  prepare(service) {
    const key = service.sandbox.credentials.sandbox.apiKey;
    let checks = 0;
    return async ({ pieces, changes, chunkSizes }) => {
      const text = applyChanges(joinPieces(pieces).replaceAll("@key@", key), changes);
      const chunks = splitBytes(Buffer.from(text, "latin1"), chunkSizes);
      const responses = await service.connection(0).sendAll(chunks);
      for (const response of responses) service.checkRefusal(response);
      // Another caller still gets a response.
      if (checks++ % 20 === 0) await service.checkHealth();
      const accepted = responses.filter(({ status }) => status < 300).length;
      return { inputs: 1, responses: responses.length, accepted };
    };
  },
});

function splitBytes(all: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < all.length; turn += 1) {
    const size = turn < MAX_CHUNKS && sizes.length > 0 ? (sizes[turn % sizes.length] ?? 1) : all.length;
    chunks.push(all.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
