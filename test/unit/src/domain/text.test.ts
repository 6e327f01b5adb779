import { describe, expect, it } from "vitest";
import { splitLines } from "../../../../src/domain/text.ts";

async function linesOf(pieces: readonly (string | Uint8Array)[], checkLength?: (length: number) => void) {
  const lines: string[] = [];
  for await (const line of splitLines(pieces, checkLength && { checkLength })) lines.push(line);
  return lines;
}

describe("splitLines", () => {
  it.each([
    ["nothing", [], []],
    ["an empty piece", [""], []],
    ["a line without its end", ["a"], ["a"]],
    ["a line with its end", ["a\n"], ["a"]],
    ["blank lines", ["\n\na\n\n"], ["", "", "a", ""]],
    ["lines in one piece", ["a\nb\nc"], ["a", "b", "c"]],
    ["a line in many pieces", ["a", "", "b", "c\nd", "e"], ["abc", "de"]],
    ["an end of its own", ["a", "\n", "b", "\n"], ["a", "b"]],
  ])("%s", async (_, pieces, lines) => {
    expect(await linesOf(pieces)).toEqual(lines);
  });

  it("decodes UTF-8, also where a character is cut in two", async () => {
    const bytes = Buffer.from("é\n𝄞\n");
    expect(await linesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(["é", "𝄞"]);
  });

  it("drops further pieces of a line that has the maximum length", async () => {
    const lines: string[] = [];
    const pieces = ["ab", "cd", "ef", "g\nh", "i\n"];
    for await (const line of splitLines(pieces, { maxLength: 4 })) lines.push(line);
    expect(lines).toEqual(["abcd", "hi"]);
  });

  it("reads each character of a long line once", async () => {
    const pieces = Array.from({ length: 50_000 }, () => "x".repeat(1_000));
    const [line = "", ...others] = await linesOf([...pieces, "\nend"]);
    expect([line.length, others]).toEqual([50_000_000, ["end"]]);
  });

  it("tells how long a line without an end has become", async () => {
    const lengths: number[] = [];
    await linesOf(["ab", "cd\ne", "fgh", "\n"], (length) => lengths.push(length));
    expect(lengths).toEqual([2, 1, 4, 0]);
  });
});
