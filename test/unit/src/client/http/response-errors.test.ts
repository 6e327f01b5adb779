import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { responseError } from "../../../../../src/client/http/response-errors.ts";

const JSON_TYPE = "application/json";
const ANONYMOUS = { credential: null, authorization: null };

const toError = (status: number, type: string, body: string, requestLine = "GET /v1/x") =>
  responseError(
    { status, headers: { "content-type": type }, body: Buffer.from(body), receivedAt: 0 },
    requestLine,
    ANONYMOUS,
  );

describe("responseError", () => {
  it("shows no secret of a record that has the status of an error", () => {
    const { message } = toError(
      500,
      JSON_TYPE,
      '{"id":"e-1","signingSecret":"of-the-endpoint","note":"whsec_0123456789"}',
    );
    expect(message).toBe("id: e-1; note: [redacted] (GET /v1/x → 500)");
  });

  it("shows no credential that a body repeats with escapes", () => {
    const key = "key_of_the_client";
    const escaped = key.replaceAll("e", "\\u0065");
    const error = responseError(
      {
        ...{ status: 429, headers: { "content-type": JSON_TYPE }, receivedAt: 0 },
        body: Buffer.from(`{"message":"no ${escaped}","code":"${escaped}","requestId":"${escaped}"}`),
      },
      "GET /v1/x",
      { credential: { kind: "api_key", key }, authorization: `Bearer ${key}` },
    );
    expect(JSON.stringify(error) + error.message).not.toContain(key);
    expect(error.message).toContain("no [redacted]");
  });

  it.each([
    [
      "a problem",
      "application/problem+json",
      '{"title":"No","detail":"It is not there.","code":"gone"}',
      "gone",
    ],
    ["a nested error object", JSON_TYPE, '{"error":{"code":"gone","message":"It is not there."}}', "gone"],
    ["a message field", JSON_TYPE, '{"message":"It is not there."}', "http_404"],
    ["a list with one error", JSON_TYPE, '{"errors":[{"code":"gone","message":"It is not there."}]}', "gone"],
    ["an RFC 6749 error", JSON_TYPE, '{"error":"gone","error_description":"It is not there."}', "gone"],
    ["plain text", "text/plain; charset=utf-8", "It is not\n there.\n", "http_404"],
  ])("takes the message and the code from %s", (_, type, body, code) => {
    expect(toError(404, type, body)).toMatchObject({
      ...{ code, kind: "not_found" },
      message: "It is not there (GET /v1/x → 404)",
    });
  });

  it.each([
    ["<!doctype html><title>502 Bad Gateway</title><p>Text.", 'a web page with the title "502 Bad Gateway"'],
    ["<html><body><h1>No server</h1>\n is &lt;up&gt;", "a web page without a title"],
    ["<?xml version='1.0'?><Error><Code>Denied</Code><Message>No key</Message></Error>", "Denied No key"],
    ['{"seller":["can\'t be blank"],"file":["is too large"]}', "seller: can't be blank; file: is too large"],
    ['{"message":"One.","errors":{"a":["One."],"b":["Two."]}}', "One.; b: Two"],
    ['{"detail":[{"loc":["body","seller"],"msg":"Field required"}]}', "seller: Field required"],
    ['{"fault":{"faultstring":"Long","detail":{"errorcode":"x.y"}}}', "faultstring: Long; errorcode: x.y"],
    ['"seller is locked"', "seller is locked"],
    ['[{"message":"One."},"Two."]', "One.; Two"],
    ['{"status":7,"ok":false}', "no explanation"],
    [" \n", "an empty response"],
    ["\u0000\u0001", "a body of 2 bytes"],
  ])("shows %j as %s, whatever the content type", (body, text) => {
    for (const type of [JSON_TYPE, "application/octet-stream", ""])
      expect(toError(503, type, body).message).toBe(`${text} (GET /v1/x → 503)`);
  });

  it("reads JSON of any depth and size", () => {
    const deep = `${'{"a":['.repeat(50_000)}"x"${"]}".repeat(50_000)}`;
    expect(toError(400, JSON_TYPE, deep).message).toBe("no explanation (GET /v1/x → 400)");
    const long = JSON.stringify({ errors: Array.from({ length: 100_000 }, (_, at) => `fault ${at}`) });
    expect(toError(400, JSON_TYPE, long).message.split(";")).toHaveLength(5);
  });

  it("takes a code only if it is one", () => {
    expect(toError(400, JSON_TYPE, '{"error":"Bad Request"}').code).toBe("http_400");
    expect(toError(400, JSON_TYPE, '{"error":"invalid_request"}').code).toBe("invalid_request");
  });

  it("says first that a response is a redirect, and where to", () => {
    const redirect = (headers: Record<string, string>, body = "<title>302 Found</title>", status = 302) =>
      responseError({ status, headers, body: Buffer.from(body), receivedAt: 0 }, "GET /v1/x", ANONYMOUS);
    const { message, hint } = redirect({
      location: "https://sso.example/login",
      "content-type": "text/html",
    });
    expect(message).toBe("a redirect to https://sso.example/login (GET /v1/x → 302)");
    expect(hint).toBe(
      "if https://sso.example/login is right, use it without the path of the request as the base URL",
    );
    for (const location of ["/p/v1/x/", "https://h.example/v1/x/"])
      expect(redirect({ location }).hint).toContain("with another slash at the end");
    expect(redirect({}, "").message).toBe("a redirect without a Location (GET /v1/x → 302)");
    expect(redirect({ location: "/b" }, '{"detail":"Moved."}', 308).message).toBe(
      "a redirect to /b: Moved (GET /v1/x → 308)",
    );
  });

  it("says what a try later needs, and shows no rows of a part", () => {
    const toErrorOf = (status: number, headers: Record<string, string> = {}) =>
      responseError(
        { status, headers, body: Buffer.from('[{"name":"Acme"}]'), receivedAt: 10_000_000 },
        "GET /v1/x",
        ANONYMOUS,
      );
    expect(toErrorOf(425).hint).toBe("try again later");
    const at = (ms: number) => ({ "retry-after": new Date(ms).toUTCString() });
    expect(toErrorOf(429, at(5_000_000)).hint).toBe("try again later");
    expect(toErrorOf(429, at(15_000_000)).hint).toContain("asks you to wait");
    expect(toErrorOf(206)).toMatchObject({ message: expect.not.stringContaining("Acme") });
  });

  it("suspects another web server after an HTML page with 404, but not with 422", () => {
    const hintOf = (status: number) => toError(status, "text/html", "<p>No.</p>").hint;
    expect(hintOf(404)).toContain("does not look like the claims service");
    expect(hintOf(422)).toBe("correct the request and try again");
  });

  it.each(["<title>", "", "   ", "\u0000".repeat(9)])("has a code for an HTML body of %j", (body) => {
    expect(toError(500, "text/html", body).code).toBe("http_500");
  });
});
