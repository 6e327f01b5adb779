import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { openSandbox, SELLER } from "../../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  partnerRequest,
  post,
  readResponse,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";

const sandbox = await openSandbox({ maxUploadBytes: 500_000 });
afterAll(() => sandbox.close());

const FORM = "application/x-www-form-urlencoded";
const createTokenForm = () => {
  const { clientId, clientSecret } = sandbox.credentials.sandbox;
  return `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
};
const requestToken = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  call(sandbox, "/v1/oauth/token", {
    method: "POST",
    body: body as string,
    headers: { "content-type": FORM, ...headers },
    token: null,
  });

describe("a body with Content-Encoding", () => {
  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)(
    "%s is decoded, gets 413 beyond the limit, and 400 if it is truncated",
    async (encoding, compress) => {
      const headers = { "content-encoding": encoding };
      expect((await requestToken(compress(createTokenForm()), headers)).status).toBe(200);
      expect((await requestToken(compress("x".repeat(2_000_000)), headers)).status).toBe(413);
      const truncated = await requestToken(compress(createTokenForm()).subarray(0, 20), headers);
      expect([truncated.status, truncated.body.error]).toEqual([400, "invalid_request"]);
    },
  );

  test("gets 415 if it is unknown, or that of a multipart form", async () => {
    const unknown = await requestToken(createTokenForm(), { "content-encoding": "zstd" });
    expect([unknown.status, unknown.body.error]).toEqual([415, "invalid_request"]);
    const form = await submit(sandbox, submissionForm(), { headers: { "content-encoding": "gzip" } });
    expect([form.status, form.body.code]).toEqual([415, "unsupported_media_type"]);
    expect(form.body.detail).toContain("Content-Encoding");
  });
});

describe("the Content-Transfer-Encoding of a part", () => {
  /** Sends a form with the given headers of seller_name and file. */
  const send = (sellerHeaders: string, fileHeaders: string) => {
    const parts = [
      `Content-Disposition: form-data; name="seller_name"\r\n${sellerHeaders}\r\n${SELLER}`,
      'Content-Disposition: form-data; name="requires_protest_documentation"\r\n\r\ntrue',
      `Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n${fileHeaders}\r\n${entriesCsv()}`,
    ];
    return call(sandbox, "/v1/diligence/submit", {
      method: "POST",
      body: `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
  };
  const header = (encoding: string) => `Content-Transfer-Encoding: ${encoding}\r\n`;

  // koa-body 8.0.1 ends the process on such a text part.
  test.each(["7bit", "8bit", "binary", "8BIT"])(
    "%s does not change a field or the file",
    async (encoding) => {
      for (const response of [await send(header(encoding), ""), await send("", header(encoding))])
        expect([response.status, response.body.sellerName, response.body.fileBytes]).toEqual([
          202,
          SELLER,
          entriesCsv().length,
        ]);
    },
  );

  test.each([
    ["base64", header("base64")],
    ["quoted-printable", header("Quoted-Printable")],
    ["an unknown name", header("x-rot13")],
    ["an empty value", header("")],
    ["two values", header("8bit") + header("binary")],
  ])("is refused with 400 that says what to send: %s", async (_, line) => {
    for (const { status, body } of [await send(line, ""), await send("", line)]) {
      expect([status, body.code]).toEqual([400, "malformed_request"]);
      expect(body.detail).toContain("Send the bytes as they are, without the header");
    }
  });
});

test("an unreadable body gets its refusal before the rest arrives", async () => {
  for (const [body, status] of [
    [Buffer.from([0xff]), 400],
    [Buffer.from("\ufeff{}"), 400],
    [Buffer.alloc(2_000_000, " "), 413],
  ] as const) {
    const request = partnerRequest(sandbox, "POST /v1/clients", { "content-type": "application/json" });
    request.write(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
    request.on("error", () => undefined).destroy();
  }
});

describe("POST /v1/diligence/jobs/{jobId}/resume", () => {
  const send = async (headers: Record<string, string>, body = "") => {
    const id = await submitAndSettle(sandbox, { file: entriesCsv([entryNumber("SBX", 1, "3")]) });
    const request = partnerRequest(sandbox, `POST /v1/diligence/jobs/${id}/resume`, headers);
    return (await readResponse(request.end(body))).status;
  };
  const chunked = { "transfer-encoding": "chunked" };

  test.each([
    [{}],
    [{ "content-length": "0" }],
    [chunked],
    [{ ...chunked, "content-type": "application/json" }],
  ])("accepts an empty body with the headers %o", async (headers) => {
    expect(await send(headers)).toBe(202);
  });

  test("validates a chunked body that is not empty", async () => {
    expect(await send(chunked, "{}")).toBe(415);
    expect(await send({ ...chunked, "content-type": "application/json" }, "{}")).toBe(202);
    expect(await send({ ...chunked, "content-type": "application/json" }, '{"a":1}')).toBe(422);
  });
});

test.each([
  ["grant_type", 2],
  ["client_id", 1500],
  ["else", 2],
])(
  "the form of the token route refuses %s repeated %i more times with invalid_request",
  async (name, count) => {
    const response = await requestToken(`${createTokenForm()}${`&${name}=x`.repeat(count)}`);
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"]);
    expect(response.body.error_description).toContain(name);
  },
);

describe("malformed bodies", () => {
  const LIBRARY = /options\.|Parser|state =|undefined|null:|formidable|Unexpected token|\bend\(\)/;
  const sendMultipart = (body: string | Uint8Array, type = "multipart/form-data; boundary=b") =>
    call(sandbox, "/v1/diligence/submit", {
      method: "POST",
      body: body as string,
      headers: { "content-type": type },
    });
  const sendJson = (body: string | Uint8Array, path = "/v1/clients", more = {}) =>
    post(sandbox, path, null, { body: body as string, ...more });
  const part = (head: string, value: string) => `--b\r\n${head}\r\n\r\n${value}\r\n`;
  const field = (name: string, value: string) =>
    part(`Content-Disposition: form-data; name="${name}"`, value);
  const form = (extra: string) =>
    field("seller_name", "A") +
    field("requires_protest_documentation", "false") +
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${entriesCsv()}\r\n` +
    `${extra}--b--\r\n`;

  const refused: Readonly<Record<string, readonly [body: string, status: number, detail: RegExp]>> = {
    "a truncated body": ["--b\r\nContent-Disposition: form-data; name=a\r\n\r\nA", 400, /boundary/],
    "a form without its closing boundary": [form("").slice(0, -4), 400, /no closing boundary/],
    "an empty form": ["", 400, /The request has no body/],
    "a part whose header is interrupted by a boundary": [
      form("--b\r\nContent-Disposition: form-data\r\n"),
      ...([400, /malformed or truncated/] as const),
    ],
    "a part without a name": [form(part("Content-Disposition: form-data", "x")), 400, /without a name/],
    "a field named __proto__": [form(field("__proto__", "x")), 422, /^__proto__: unknown field/],
    "fields that are too large": [form(field("x", "x".repeat(1_100_000))), 413, /outside its files/],
    "a file that is too large": [form("").replace("entry", "x".repeat(600_000)), 413, /500000 bytes/],
  };

  test.each(Object.entries(refused))("are refused: %s", async (_name, [body, status, detail]) => {
    const response = await sendMultipart(body);
    expect(response.status).toBe(status);
    expect(response.body.detail).toMatch(detail);
    expect(response.body.detail).not.toMatch(LIBRARY);
  });

  test.each([
    ["multipart/form-data", /boundary/],
    [`multipart/form-data; boundary=${"b".repeat(71)}`, /more than 70 characters/],
  ])("are refused: a form of type %s", async (type, detail) => {
    const response = await sendMultipart("x", type);
    expect(response.status).toBe(400);
    expect(response.body.detail).toMatch(detail);
  });

  test("are refused: text that is not JSON", async () => {
    const id = await submitAndSettle(sandbox, { file: entriesCsv([entryNumber("SBX", 1, "3")]) });
    const response = await sendJson('{"a"', `/v1/diligence/jobs/${id}/resume`);
    expect([response.status, response.body.detail]).toEqual([400, "The body is not JSON."]);
  });

  test.each([
    ["at the top", '{"name":"A","name":"A"}', "name"],
    ["with equal names after unescaping", '{"name":"A", "n\\u0061me" : "B"}', "name"],
    ["in a nested object", '{"a":[{"b":{"c":1,"d":{},"c":2}}]}', "c"],
  ])("are refused: JSON with one name twice, %s", async (_, body, name) => {
    const refused = await sendJson(body);
    expect([refused.status, refused.body.code]).toEqual([400, "malformed_request"]);
    expect(refused.body.detail).toBe(`The body has the name "${name}" twice in one object.`);
    const path = "/_sandbox/clock/advance";
    const control = await sendJson('{"to":"1s","to":"2s"}', path, { token: sandbox.controlToken });
    expect([control.status, control.body.code]).toEqual([400, "malformed_request"]);
  });

  test.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"__proto__":1,"__proto__":1}'])(
    "are refused: JSON with a field __proto__: %s",
    async (body) => {
      const refused = await sendJson(body);
      expect([refused.status, refused.body.code]).toEqual([400, "malformed_request"]);
      expect(refused.body.detail).toMatch(/^The body has a field "__proto__"/);
    },
  );

  test("are refused: JSON that is not UTF-8", async () => {
    const body = Buffer.from('{"eventType":"M\xfcller"}', "latin1");
    const sent = await sendJson(body, "/v1/sandbox/webhooks/test");
    expect([sent.status, sent.body.detail]).toEqual([400, "The body is not UTF-8."]);
  });

  test("are refused: a seller_name that is not UTF-8", async () => {
    const [before = "", after = ""] = form("").split('name="seller_name"\r\n\r\nA');
    const body = Buffer.concat([
      Buffer.from(`${before}name="seller_name"\r\n\r\n`),
      Buffer.from([0x4d, 0xfc, 0x6c]),
      Buffer.from(after),
    ]);
    const response = await sendMultipart(body);
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    expect(response.body.errors).toMatchObject([{ parameter: "seller_name", code: "not_utf8" }]);
  });
});

describe("a form without Content-Length", () => {
  const send = async (head: string) => {
    const request = partnerRequest(sandbox, "POST /v1/diligence/submit", {
      "content-type": "multipart/form-data; boundary=b",
    });
    // The server closes the connection after its response.
    request.on("error", () => undefined);
    const responded = readResponse(request);
    request.write(head);
    for (let sent = 0; sent < 40 && request.writable; sent += 1) {
      if (!request.write(Buffer.alloc(100_000, "x"))) await Promise.race([once(request, "drain"), responded]);
    }
    request.end();
    const { status, text } = await responded;
    return { status, body: JSON.parse(text) };
  };

  test.each([
    ["a part header", "--b\r\nContent-Disposition: "],
    ["a header's name", "--b\r\n"],
    ["the preamble before the first boundary", ""],
  ])("gets 413 if %s never ends, and the sandbox continues", async (_what, head) => {
    const { status, body } = await send(head);
    expect([status, body.code]).toEqual([413, "body_too_large"]);
    expect(body.detail).toMatch(/outside its files/);
    expect((await submit(sandbox, submissionForm())).status).toBe(202);
  });
});
