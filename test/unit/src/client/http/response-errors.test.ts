import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { responseError } from "../../../../../src/client/http/response-errors.ts";

const JSON_TYPE = "application/json";

const toError = (status: number, type: string, body: string, requestLine = "GET /v1/x") =>
  responseError(
    { status, headers: { "content-type": type }, body: Buffer.from(body), receivedAt: 0 },
    requestLine,
    {
      credential: null,
      authorization: null,
    },
  );

describe("responseError", () => {
  it.each([
    [
      "an RFC 9457 problem",
      "application/problem+json",
      '{"title":"No","detail":"It is not there.","code":"gone"}',
      "gone",
    ],
    ["a nested error object", JSON_TYPE, '{"error":{"code":"gone","message":"It is not there."}}', "gone"],
    ["a message field", JSON_TYPE, '{"message":"It is not there."}', "http_404"],
    ["a list with one error", JSON_TYPE, '{"errors":[{"code":"gone","message":"It is not there."}]}', "gone"],
    ["an RFC 6749 error", JSON_TYPE, '{"error":"gone","error_description":"It is not there."}', "gone"],
    ["plain text", "text/plain; charset=utf-8", "It is not\n there.\n", "http_404"],
    [
      "an HTML page",
      "text/html",
      "<!doctype html><title>404</title><style>p{}</style><p>It is not there.</p>",
      "http_404",
    ],
    ["an HTML page with only a title", "text/html", "<title>It is not there</title>", "http_404"],
  ])("takes the message and the code from %s", (_, type, body, code) => {
    expect(toError(404, type, body)).toMatchObject({
      ...{ code, kind: "not_found" },
      message: "It is not there (GET /v1/x → 404)",
    });
  });

  it("joins the messages of a list of errors", () => {
    const body = '{"errors":[{"code":"a","message":"One."},{"code":"b","message":"Two."}]}';
    expect(toError(422, JSON_TYPE, body)).toMatchObject({
      code: "http_422",
      message: expect.stringContaining("One.; Two"),
    });
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
