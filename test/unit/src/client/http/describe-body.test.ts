import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { describeBody } from "../../../../../src/client/http/describe-body.ts";

const describeText = (body: string | Buffer, type = "text/html; charset=utf-8", status = 200) =>
  describeBody({ status, headers: { "content-type": type }, body: Buffer.from(body) });

describe("describeBody", () => {
  it.each([
    ["<!DOCTYPE html><title>\n  Log in </title>", "text/html", "page", 'a web page with the title "Log in"'],
    ["<HTML><head></head>", "application/octet-stream", "page", "a web page without a title"],
    ["<title>Terms &amp; you</title>", "TEXT/HTML", "page", 'a web page with the title "Terms & you"'],
    ["OK", "text/plain", "text", "text that is not JSON"],
    ['{"jobId":', "application/json", "text", "text that is not JSON"],
    ["<job><id>7</id></job>", "application/xml", "text", "text that is not JSON"],
    ['{"id":1}', "text/html", "object", "a JSON object"],
    ["[]", "application/json", "json", "JSON that is not an object"],
    ["", "text/html", "empty", "an empty response (200)"],
    [" \r\n", "application/json", "empty", "an empty response (200)"],
    [Buffer.from([0x25, 0xff, 0x00]), "application/pdf", "binary", "a body of 3 bytes"],
  ])("describes %j of %s as %s", (body, type, kind, text) => {
    expect(describeText(body, type)).toEqual({ kind, text });
  });

  it("shortens a long title, and reads a page of unclosed titles quickly", () => {
    expect(describeText(`<title>${"x".repeat(5_000)}</title>`).text).toMatch(/"x{200}…"$/);
    expect(describeText("<title".repeat(1_000_000)).text).toBe("a web page without a title");
  });
});
