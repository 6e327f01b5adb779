import { describe, expect, it } from "vitest";
import { parseCurl } from "../../../../../../src/domain/webhooks/input-formats/curl.ts";
import { parseHeaderLines } from "../../../../../../src/domain/webhooks/input-formats/http-request.ts";

/** A search that begins at each character of a run would take minutes. */
const LENGTH = 1_000_000;
const BLANKS = " \t".repeat(LENGTH / 2);

const readNoFile = () => Promise.reject(new Error("no file is named"));
const parse = (line: string) => parseCurl(line, "the command", readNoFile);

it("parseHeaderLines keeps a long run of blanks within a value, and removes one around it", () => {
  expect(parseHeaderLines(`a:${BLANKS}b${BLANKS}c${BLANKS}\n`, "FILE")).toEqual([["a", `b${BLANKS}c`]]);
});

describe("parseCurl", () => {
  it("keeps a long run of blanks within a header, and removes one around it", async () => {
    const { headers } = await parse(`curl -H 'a:${BLANKS}b${BLANKS}c${BLANKS}' -H 'b;' -H 'c: '`);
    expect(headers).toEqual([
      ["a", `b${BLANKS}c`],
      ["b", ""],
    ]);
  });

  it.each([
    ["backticks", "`".repeat(LENGTH)],
    ["backslashes and backticks", "\\`".repeat(LENGTH / 2)],
  ])("reads an open quote once: %s", async (_, rest) => {
    await expect(parse(`curl.exe -d "${rest}`)).rejects.toThrow("the quote at character 13 is not closed");
  });

  it("keeps backticks and backslashes of another shell", async () => {
    const { body } = await parse('curl -d "a`b" -d "\\`c" -d "d\\\\"');
    expect(String(body)).toBe("a`b&`c&d\\");
  });

  it.each(['curl.exe -d "{`"a`":1}"', "curl.exe `\n -d 1"])("refuses PowerShell: %s", async (line) => {
    await expect(parse(line)).rejects.toThrow("this is a command line of PowerShell");
  });
});
