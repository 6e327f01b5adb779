import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { openSandbox, SELLER } from "../../../../support/sandbox.ts";
import { call, entriesCsv } from "../../../../support/sandbox-requests.ts";

describe("the Content-Transfer-Encoding of a part", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox.close());

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
  it.each(["7bit", "8bit", "binary", "8BIT"])("%s does not change a field or the file", async (encoding) => {
    for (const response of [await send(header(encoding), ""), await send("", header(encoding))])
      expect([response.status, response.body.sellerName, response.body.fileBytes]).toEqual([
        202,
        SELLER,
        entriesCsv().length,
      ]);
  });

  it.each([
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
