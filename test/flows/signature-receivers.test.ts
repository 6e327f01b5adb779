import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { describe, expect, it, onTestFinished } from "vitest";
import { RAW_BODY } from "../../src/cli/commands/webhooks/raw-body.ts";
import { type DeliveryHeaders, sign, verify } from "../../src/signature.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

/** What a parser and printer of JSON would not leave as it is. */
const BODY = Buffer.from('{ "amount": 1.0, "note": "caf\\u00e9 \u00e9" }\r\n');

const HEADERS = {
  "content-type": "application/json",
  "x-service-timestamp": TIMESTAMP,
  "x-service-signature": sign({ secret: SECRET, timestamp: TIMESTAMP, body: BODY }),
};

const verdictOf = (headers: DeliveryHeaders, body: Uint8Array) =>
  verify({ secrets: [SECRET], headers, body }).verdict;

/** The very line that the program and the README show, run with what a framework calls `name`. */
function shownLine(framework: keyof typeof RAW_BODY, name: string): (value: unknown) => Promise<Uint8Array> {
  const Line = Object.getPrototypeOf(async () => {}).constructor as new (
    ...code: string[]
  ) => (value: unknown) => Promise<Uint8Array>;
  return new Line(name, `${RAW_BODY[framework]}\nreturn body;`);
}

describe("the line that keeps the raw body works in", () => {
  it("Koa", async () => {
    const line = shownLine("Koa", "ctx");
    const app = new Koa().use(async (ctx) => {
      const headers: IncomingHttpHeaders = ctx.req.headers;
      ctx.body = verdictOf(headers, await line(ctx));
    });
    const server = app.listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/hook`, {
      method: "POST",
      headers: HEADERS,
      body: BODY,
    });
    expect(await answer.text()).toBe("valid");
  });

  it("Next.js, whose route handlers get a Request", async () => {
    const request = new Request("http://127.0.0.1/hook", { method: "POST", headers: HEADERS, body: BODY });
    expect(verdictOf(request.headers, await shownLine("Next.js", "request")(request))).toBe("valid");
  });

  it.each([true, false])("API Gateway and Lambda, isBase64Encoded %s", async (isBase64Encoded) => {
    const event = {
      headers: HEADERS,
      body: BODY.toString(isBase64Encoded ? "base64" : "utf8"),
      isBase64Encoded,
    };
    expect(verdictOf(event.headers, await shownLine("API Gateway + Lambda", "event")(event))).toBe("valid");
  });
});
