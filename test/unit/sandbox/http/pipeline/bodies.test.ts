import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { bearer, rawRequest, waitUntil } from "../../../../support/sandbox-requests.ts";

type Content = string | Buffer;

const LIMIT = 1024 * 1024;
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const BOM = [0xef, 0xbb, 0xbf];
const CLIENT = '{"name":"Größe","importerNumber":"98-7654321"}';
const fill = (length: number): string => CLIENT.padEnd(length - 2);

const JSON_BODIES: readonly (readonly [string, Content])[] = [
  ["valid", CLIENT],
  ["valid with white space around it", `\n ${CLIENT}\t `],
  ["valid with U+FFFD", CLIENT.replace("ö", "\ufffd")],
  ["empty", ""],
  ["white space", "  "],
  ["{}", "{}"],
  ["an array", "[1]"],
  ["a number", "1"],
  ["text", '"a"'],
  ["null", "null"],
  ["no JSON", "hello"],
  ["truncated", CLIENT.slice(0, -9)],
  ["a byte order mark", bytes(BOM, CLIENT)],
  ["UTF-16", Buffer.from(CLIENT, "utf16le")],
  ["ISO 8859-1", Buffer.from(CLIENT, "latin1")],
  ["a character cut off", Buffer.from(`${CLIENT}😀`).subarray(0, -1)],
  ["a name twice", '{"name":"A","n\\u0061me":"B"}'],
  ["__proto__", `${CLIENT.slice(0, -1)},"__proto__":{"a":1}}`],
  ["an escaped __proto__", `${CLIENT.slice(0, -1)},"\\u005f_proto__":1}`],
  ["constructor", `${CLIENT.slice(0, -1)},"constructor":{"prototype":1}}`],
  ["600 levels", "[".repeat(600) + "]".repeat(600)],
  ["half a character", CLIENT.replace("ö", "\\ud800")],
  ["1 MiB", fill(LIMIT)],
  ["1 MiB and a byte", fill(LIMIT + 1)],
];

const FORM = "grant_type=client_credentials&client_id=a&client_secret=b";
const FORMS: readonly (readonly [string, Content])[] = [
  ["valid", FORM],
  ["a field twice", `${FORM}&client_id=c`],
  ["brackets", FORM.replace("client_id", "client_id[]")],
  ["dots", `${FORM}&a.b=c&a.d=e&a.b=f`],
  ["fields without a name", `${FORM}&=1&=2`],
  ["a field without =", `${FORM}&client_id`],
  ["&&", `&&${FORM}&&`],
  ["bad percent escapes", `${FORM}&%=1&%zz=1&%=2`],
  ["percent escapes that are not UTF-8", `${FORM}&%ff=1&%fe=2`],
  ["+ and %20", `${FORM}&a+b=1&a%20b=2`],
  ["umlauts", `${FORM}&ö=1&%C3%B6=2`],
  ["ISO 8859-1", Buffer.from(`${FORM}&ö=1`, "latin1")],
  ["a byte order mark", bytes(BOM, FORM)],
  ["__proto__", `__proto__=1&${FORM}`],
  ["1,500 fields, the last one twice", `${FORM}${fields(1500)}&f1499=2`],
  ["empty", ""],
  ["&", "&"],
  ["1 MiB", FORM.padEnd(LIMIT, "x")],
  ["1 MiB and a byte", FORM.padEnd(LIMIT + 1, "x")],
];

function fields(count: number): string {
  return Array.from({ length: count }, (_, index) => `&f${index}=1`).join("");
}

const plain = (content: Content): Buffer => Buffer.from(content as string);
const CODINGS: readonly (readonly [string, string | null, (content: Content) => Buffer])[] = [
  ["no coding", null, plain],
  ["identity", "identity", plain],
  ["gzip", "gzip", gzipSync],
  ["GZIP", " GZIP", gzipSync],
  ["deflate", "deflate", deflateSync],
  ["br", "br", brotliCompressSync],
  ["gzip twice", "gzip, gzip", (content) => gzipSync(gzipSync(content))],
  ["gzip in two members", "gzip", (content) => Buffer.concat([gzipSync(content), gzipSync(" ")])],
  ["gzip and other bytes", "gzip", (content) => Buffer.concat([gzipSync(content), Buffer.from("x")])],
  ["gzip without its end", "gzip", (content) => gzipSync(content).subarray(0, -9)],
  ["deflate without its end", "deflate", (content) => deflateSync(content).subarray(0, -5)],
  ["br without its end", "br", (content) => brotliCompressSync(content).subarray(0, -3)],
  ["gzip that is deflate", "gzip", deflateSync],
  ["deflate that is gzip", "deflate", gzipSync],
  ["gzip that is not compressed", "gzip", plain],
  ["deflate that is not compressed", "deflate", plain],
  ["br that is not compressed", "br", plain],
  ["br that is gzip", "br", gzipSync],
  ["zstd", "zstd", plain],
  ["x-gzip", "x-gzip", gzipSync],
];

const TYPES: readonly (readonly [string, string | null])[] = [
  ["a charset", "application/json; charset=iso-8859-1"],
  ["an unknown charset", "application/json; charset=nonsense"],
  ["another type", "text/plain"],
  ["a problem", "application/problem+json"],
  ["an invalid type", "json"],
  ["no type", null],
];

interface Row {
  readonly path: string;
  readonly type: string | null;
  readonly coding: string | null;
  readonly body: Buffer;
  readonly chunked?: boolean;
}

const JSON_ROUTE = { path: "/v1/clients", type: "application/json" };
const FORM_ROUTE = { path: "/v1/oauth/token", type: "application/x-www-form-urlencoded" };
/** A route that takes no body. */
const NO_BODY_ROUTE = { ...JSON_ROUTE, path: "/v1/diligence/jobs/j/resume" };
const CONTROL_ROUTE = { ...JSON_ROUTE, path: "/_sandbox/emit" };

function* listRows(): Generator<readonly [string, Row]> {
  for (const [route, contents, title] of [
    [JSON_ROUTE, JSON_BODIES, "JSON"],
    [FORM_ROUTE, FORMS, "a form"],
    [NO_BODY_ROUTE, JSON_BODIES, "no body expected"],
    [CONTROL_ROUTE, JSON_BODIES, "the control API"],
  ] as const)
    for (const [name, content] of contents) {
      const row = { ...route, coding: null, body: plain(content) };
      yield [`${title}, ${name}`, row];
      yield [`${title}, ${name}, gzip`, { ...row, coding: "gzip", body: gzipSync(content) }];
      yield [`${title}, ${name}, in chunks`, { ...row, chunked: true }];
    }
  for (const [title, route, content] of [
    ["JSON", JSON_ROUTE, CLIENT],
    ["a form", FORM_ROUTE, FORM],
    ["no body expected", NO_BODY_ROUTE, "{}"],
  ] as const)
    for (const [name, coding, encode] of CODINGS) {
      yield [`${title}, ${name}`, { ...route, coding, body: encode(content) }];
      yield [`${title}, ${name}, of nothing`, { ...route, coding, body: encode("") }];
      yield [`${title}, ${name}, nothing sent`, { ...route, coding, body: plain(""), chunked: true }];
      const body = encode("x".repeat(2 * LIMIT));
      yield [`${title}, ${name}, of 2 MiB`, { ...route, coding, body, chunked: true }];
    }
  for (const [name, type] of TYPES)
    for (const [title, route] of [
      ["JSON", JSON_ROUTE],
      ["a form", FORM_ROUTE],
      ["no body expected", NO_BODY_ROUTE],
      ["the control API", CONTROL_ROUTE],
    ] as const)
      yield [`${title}, ${name}`, { ...route, type, coding: null, body: plain("{}") }];
}

async function send(sandbox: Sandbox, { path, type, coding, body, chunked = false }: Row) {
  const token = path.startsWith("/_sandbox") ? sandbox.controlToken : sandbox.credentials.sandbox.apiKey;
  const request = rawRequest(sandbox, {
    method: "POST",
    path,
    headers: {
      ...(path.startsWith("/v1/oauth") ? {} : bearer(token)),
      ...(type !== null && { "content-type": type }),
      ...(coding !== null && { "content-encoding": coding }),
      ...(chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) }),
      "x-request-id": "r",
    },
  });
  // The sandbox may refuse a body before it has all of it.
  request.on("error", () => undefined);
  const responded = once(request, "response") as Promise<[IncomingMessage]>;
  const half = Math.ceil(body.length / 2);
  request.write(body.subarray(0, half));
  request.end(body.subarray(half));
  const [response] = await responded;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return `${response.statusCode} ${Buffer.concat(chunks)}`;
}

/** One line, also of a long text. */
function shorten(text: string): string {
  if (text.length <= 400) return text;
  return `${text.slice(0, 60)}… ${text.length} ${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

/** How much of a body that is too large has arrived when it is refused depends on time. */
const hideExcess = (_: string, value: unknown): unknown =>
  typeof value === "number" && value > LIMIT ? "more than the limit" : value;

it("JSON and form bodies get the recorded responses, and the log has the recorded bytes", async () => {
  const sandbox = await sandboxForTest();
  const lines: string[] = [];
  for (const [title, row] of listRows()) {
    await sandbox.reset();
    const response = await send(sandbox, row);
    const request = async () => (await sandbox.requests.list())[0];
    const isLogged = !row.path.startsWith("/_sandbox");
    if (isLogged) await waitUntil(async () => (await request())?.outcome !== "running");
    const { requestBody = null, problem = null, outcome = "" } = (await request()) ?? {};
    const log = isLogged ? [outcome, JSON.stringify(requestBody, hideExcess), JSON.stringify(problem)] : [];
    lines.push([title, shorten(response), ...log.map(shorten)].join("\n  "));
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("bodies.txt");
}, 60_000);
