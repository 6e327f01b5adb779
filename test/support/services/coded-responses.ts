import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { type ForeignResponse, JSON_TYPE, type Readings } from "./foreign-response.ts";
import type { WireResponse } from "./server.ts";
import { JOB_ID } from "./service.ts";

const JOB_JSON = JSON.stringify({ jobId: JOB_ID, status: "queued", sellerName: "Müller €" });
const LATIN_JSON = JSON.stringify({ jobId: JOB_ID, status: "queued", sellerName: "Müller" });
const readable = { submission: "accepted", write: "done", status: "job" } as const;
const unreadable = { submission: "outcome unknown", write: "outcome unknown", status: "unreadable" } as const;

/** One row per `Content-Encoding` and charset; each body is the same job. */
const coded = (
  name: string,
  headers: Readonly<Record<string, string>>,
  body: WireResponse["body"] & {},
  readings: Readings = readable,
): ForeignResponse => ({
  name,
  source: "RFC 9110 §8.3 and §8.4",
  status: 202,
  headers: { ...JSON_TYPE, ...headers },
  body,
  readings,
  ...(readings === readable && { jobId: JOB_ID, shows: "Müller" }),
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

/** A gzip of 1 GiB of spaces in about 1 MiB: members of 16 MiB (RFC 1952 §2.2). */
function gzipBomb(): Uint8Array {
  bomb ??= Buffer.concat([
    ...Array<Buffer>(64).fill(gzipSync(Buffer.alloc(2 ** 24, " "))),
    gzipSync(JOB_JSON),
  ]);
  return bomb;
}
let bomb: Buffer | undefined;

export const CODINGS: readonly ForeignResponse[] = [
  coded("gzip of a small body", { "content-encoding": "gzip" }, gzipSync(JOB_JSON)),
  coded("deflate without the zlib header", { "content-encoding": "deflate" }, deflateRawSync(JOB_JSON)),
  coded("br", { "content-encoding": "br" }, brotliCompressSync(JOB_JSON)),
  coded("gzip twice", { "content-encoding": "gzip, gzip" }, gzipSync(gzipSync(JOB_JSON))),
  coded("identity", { "content-encoding": "identity" }, JOB_JSON),
  coded("gzip that is cut", { "content-encoding": "gzip" }, gzipSync(JOB_JSON).subarray(0, -12), unreadable),
  coded("gzip in the header alone", { "content-encoding": "gzip" }, JOB_JSON, unreadable),
  coded(
    "a coding that was not asked for",
    { "content-encoding": "zstd" },
    Buffer.from("28b52ffd", "hex"),
    unreadable,
  ),
  coded("gzip of 1 GiB", { "content-encoding": "gzip" }, gzipBomb, unreadable),
  coded("UTF-8 with BOM", {}, `\ufeff${JOB_JSON}`),
  coded(
    "windows-1252",
    { "content-type": "application/json; charset=windows-1252" },
    Buffer.from(JOB_JSON.replace("€", "\x80"), "latin1"),
  ),
  coded("utf-16be", { "content-type": "application/json; charset=utf-16be" }, utf16(JOB_JSON)),
  coded(
    "gzip of iso-8859-1",
    { "content-type": "application/json; charset=iso-8859-1", "content-encoding": "gzip" },
    gzipSync(Buffer.from(LATIN_JSON, "latin1")),
  ),
  coded(
    "a charset that Node does not decode",
    { "content-type": "application/json; charset=ibm037" },
    Buffer.from([0xc0, 0x7f, 0x91, 0x7f, 0xd0]),
    unreadable,
  ),
];
