import { Buffer } from "node:buffer";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeTransfer } from "../../../../../sandbox/http/pipeline/transfer-encoding.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { openSandbox, SELLER } from "../../../../support/sandbox.ts";
import { call, entriesCsv, submissionForm, submit } from "../../../../support/sandbox-requests.ts";

/** Decodes a part that arrives in chunks of the given size. */
async function decode(encoding: string, text: string | Uint8Array, size = 1): Promise<Buffer> {
  const bytes = Buffer.from(text as string, "latin1");
  async function* splitIntoChunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const decoded: Buffer[] = [];
  for await (const chunk of decodeTransfer(splitIntoChunks(), encoding)) decoded.push(chunk);
  return Buffer.concat(decoded);
}

/** Encodes quoted-printable (RFC 2045 §6.7) with every byte escaped. */
const encodeQuotedPrintable = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("")
    .replace(/(.{75})/g, "$1=\r\n");

describe("decodeTransfer of base64", () => {
  it.each([
    ["QWNtZQ==", "Acme"],
    ["QW\r\nNt\n ZQ\t==\r\n", "Acme"],
    ["", ""],
    ["\r\n", ""],
  ])("decodes %j to %j", async (encoded, text) => {
    for (const size of [1, 2, 3, 4, 5, 100])
      expect((await decode("base64", encoded, size)).toString()).toBe(text);
  });

  it.each(["QWNtZQ", "QWNtZQ=", "QWNtZQ===", "QWNt=ZQ=", "QQ==QQ==", "QWNt!A==", "QWN-ZQ==", "Acme, Inc."])(
    "refuses %j",
    async (encoded) => {
      for (const size of [1, 3, 100])
        await expect(decode("base64", encoded, size)).rejects.toThrow("is not base64");
    },
  );
});

describe("decodeTransfer of quoted-printable", () => {
  it.each([
    ["Acme", "Acme"],
    ["Harbor =26 Pine=2c LLC", "Harbor & Pine, LLC"],
    ["a=3Db", "a=b"],
    ["soft=\r\nbreak", "softbreak"],
    ["soft= \t\r\nbreak", "softbreak"],
    ["soft=\nbreak", "softbreak"],
    ["hard \t\r\nbreak  ", "hard\r\nbreak"],
    ["a b\tc", "a b\tc"],
    ["a =20", "a  "],
    ["at the end=", "at the end"],
    ["=0D=0A", "\r\n"],
    ["\xe9", "\xe9"],
  ])("decodes %j to %j", async (encoded, text) => {
    for (const size of [1, 2, 3, 4, 100])
      expect((await decode("quoted-printable", encoded, size)).toString("latin1")).toBe(text);
  });

  it.each(["a=4", "a=G1", "a=1G", "a==", "a= b", "a=\rb", "a=\r\r\n", " ".repeat(1_001)])(
    "refuses %j",
    async (encoded) => {
      for (const size of [1, 3, 2_000])
        await expect(decode("quoted-printable", encoded, size)).rejects.toThrow("is not quoted-printable");
    },
  );

  it("refuses a run of white space that no line has, without a search from each of its characters", async () => {
    const spaces = `${" ".repeat(250_000)}x`;
    await expect(decode("quoted-printable", spaces, spaces.length)).rejects.toThrow(
      "is not quoted-printable",
    );
  });

  it("searches the white space at the end of each chunk once", { tags: "large" }, async () => {
    const text = `${" ".repeat(999)}x`.repeat(20_000);
    expect(await decode("quoted-printable", text, 1_000)).toHaveLength(text.length);
  });
});

it("decodeTransfer decodes any bytes in chunks of any size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 80 }),
      async (bytes, size) => {
        const base64 = Buffer.from(bytes)
          .toString("base64")
          .replace(/(.{76})/g, "$1\r\n");
        expect(await decode("base64", base64, size)).toEqual(Buffer.from(bytes));
        expect(await decode("quoted-printable", encodeQuotedPrintable(bytes), size)).toEqual(
          Buffer.from(bytes),
        );
        for (const identity of ["7bit", "8bit", "binary"])
          expect(await decode(identity, bytes, size)).toEqual(Buffer.from(bytes));
      },
    ),
  );
});

describe("the Content-Transfer-Encoding of a part", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox.close());

  interface Encoded {
    readonly header: string;
    readonly text: string;
  }

  const PLAIN: Encoded = { header: "", text: "" };

  /** Sends a form with the given encodings of seller_name and file. */
  const send = (seller: Encoded, file: Encoded) => {
    const parts = [
      `Content-Disposition: form-data; name="seller_name"\r\n${seller.header}\r\n${seller.text || SELLER}`,
      'Content-Disposition: form-data; name="requires_protest_documentation"\r\n\r\ntrue',
      'Content-Disposition: form-data; name="file"; filename="entries.csv"\r\nContent-Type: text/csv\r\n' +
        `${file.header}\r\n${file.text || entriesCsv()}`,
    ];
    return call(sandbox, "/v1/diligence/submit", {
      method: "POST",
      body: `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
  };

  const header = (encoding: string) => `Content-Transfer-Encoding: ${encoding}\r\n`;
  const summarize = async (response: ReturnType<typeof send>) => {
    const { status, body } = await response;
    return [status, body.sellerName, body.fileBytes];
  };
  const ACCEPTED = [202, SELLER, entriesCsv().length];

  it.each(["7bit", "8bit", "binary", "8BIT"])("%s does not change a field or the file", async (encoding) => {
    const encoded = { header: header(encoding), text: "" };
    expect(await summarize(send(encoded, PLAIN))).toEqual(ACCEPTED);
    expect(await summarize(send(PLAIN, encoded))).toEqual(ACCEPTED);
    expect((await submit(sandbox, submissionForm())).status).toBe(202);
  });

  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const quote = (text: string) => encodeQuotedPrintable(Buffer.from(text));

  it.each([
    ["base64", base64],
    ["Quoted-Printable", quote],
  ])("%s is decoded in a field and in the file", async (encoding, encode) => {
    const encodePart = (text: string): Encoded => ({ header: header(encoding), text: encode(text) });
    expect(await summarize(send(encodePart(SELLER), PLAIN))).toEqual(ACCEPTED);
    const response = await send(PLAIN, encodePart(entriesCsv()));
    expect([response.status, response.body.fileBytes]).toEqual([202, entriesCsv().length]);
    await sandbox.idle();
    const { body } = await call(sandbox, `/v1/diligence/status/${response.body.jobId}`);
    expect(body).toMatchObject({ state: "completed", progress: { entriesAccepted: 1 } });
  });

  it.each([
    ["x-rot13", header("x-rot13")],
    ["utf-8", header("utf-8")],
    ["an empty value", header("")],
    ["two values", header("8bit") + header("base64")],
  ])("with %s is refused with 400 and the known encodings", async (_what, line) => {
    const encoded = { header: line, text: "" };
    for (const { status, body } of [await send(encoded, PLAIN), await send(PLAIN, encoded)]) {
      expect([status, body.code]).toEqual([400, "malformed_request"]);
      expect(body.detail).toContain("7bit, 8bit, binary, base64, quoted-printable");
    }
  });

  it.each([
    ["base64", "Acme, Inc."],
    ["quoted-printable", "A=cme"],
  ])("%s is refused with 400 and the name of the part if its content is invalid", async (encoding, text) => {
    const encoded = { header: header(encoding), text };
    expect((await send(encoded, PLAIN)).body.detail).toBe(
      `The part seller_name is not ${encoding}, although its Content-Transfer-Encoding says so.`,
    );
    const { status, body } = await send(PLAIN, encoded);
    expect([status, body.code]).toEqual([400, "malformed_request"]);
    expect(body.detail).toContain(`The part file is not ${encoding}`);
  });

  it("does not affect the fingerprint of a repeated request", async () => {
    const send = (encoding: string, text: string) =>
      call(sandbox, "/v1/diligence/submit", {
        method: "POST",
        body:
          '--b\r\nContent-Disposition: form-data; name="seller_name"\r\n\r\nA\r\n' +
          '--b\r\nContent-Disposition: form-data; name="requires_protest_documentation"\r\n\r\ntrue\r\n' +
          `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/csv\r\n${header(encoding)}\r\n${text}\r\n--b--`,
        headers: { "content-type": "multipart/form-data; boundary=b", "idempotency-key": "one" },
      });
    const first = await send("binary", "a,b\n");
    const repeated = await send("base64", base64("a,b\n"));
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    expect(repeated.body).toEqual(first.body);
  });
});
