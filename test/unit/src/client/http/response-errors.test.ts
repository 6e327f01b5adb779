import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { responseError } from "../../../../../src/client/http/response-errors.ts";

const JSON_TYPE = "application/json";

const refused = (status: number, type: string, body: string, requestLine = "GET /v1/x") =>
  responseError(
    { status, headers: { "content-type": type }, body: Buffer.from(body), receivedAt: 0 },
    requestLine,
    {
      credential: null,
      authorization: null,
    },
  );

describe("what a refusal says, whatever its shape", () => {
  it.each([
    [
      "RFC 9457",
      "application/problem+json",
      '{"title":"No","detail":"It is not there.","code":"gone"}',
      "gone",
    ],
    ["an error of its own", JSON_TYPE, '{"error":{"code":"gone","message":"It is not there."}}', "gone"],
    ["a message", JSON_TYPE, '{"message":"It is not there."}', "http_404"],
    ["a list of one", JSON_TYPE, '{"errors":[{"code":"gone","message":"It is not there."}]}', "gone"],
    ["RFC 6749", JSON_TYPE, '{"error":"gone","error_description":"It is not there."}', "gone"],
    ["text", "text/plain; charset=utf-8", "It is not\n there.\n", "http_404"],
    [
      "a page",
      "text/html",
      "<!doctype html><title>404</title><style>p{}</style><p>It is not there.</p>",
      "http_404",
    ],
    ["a page with a title alone", "text/html", "<title>It is not there</title>", "http_404"],
  ])("%s", (_, type, body, code) => {
    expect(refused(404, type, body)).toMatchObject({
      ...{ code, kind: "not_found" },
      message: "It is not there (GET /v1/x → 404)",
    });
  });

  it("names every fault of a list", () => {
    const body = '{"errors":[{"code":"a","message":"One."},{"code":"b","message":"Two."}]}';
    expect(refused(422, JSON_TYPE, body)).toMatchObject({
      code: "http_422",
      message: expect.stringContaining("One.; Two"),
    });
  });

  it("takes a page that answers 404 for another web server's, and one that answers 422 for the service's", () => {
    const hintOf = (status: number) => refused(status, "text/html", "<p>No.</p>").hint;
    expect(hintOf(404)).toContain("does not look like the claims service");
    expect(hintOf(422)).toBe("correct the request and try again");
  });

  it.each(["<title>", "", "   ", "\u0000".repeat(9)])("survives %j", (body) => {
    expect(refused(500, "text/html", body).code).toBe("http_500");
  });
});
