import { describe, expect, it } from "vitest";
import { splitLines } from "../../../../src/domain/text.ts";

async function collectLines(chunks: readonly (string | Uint8Array)[]) {
  const lines: string[] = [];
  for await (const line of splitLines(chunks)) lines.push(line);
  return lines;
}

describe("splitLines", () => {
  it.each([
    ["nothing", [], []],
    ["blank lines", ["\n\na\n\n"], ["", "", "a", ""]],
    ["lines in one chunk", ["a\nb\nc"], ["a", "b", "c"]],
    ["a line in many chunks", ["a", "", "b", "c\nd", "e"], ["abc", "de"]],
  ])("splits %s", async (_, chunks, lines) => {
    expect(await collectLines(chunks)).toEqual(lines);
  });

  it("decodes a UTF-8 character that is split between chunks", async () => {
    const bytes = Buffer.from("é\n𝄞\n");
    expect(await collectLines([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(["é", "𝄞"]);
  });

  it("reads each character of a long line once", { tags: "large" }, async () => {
    const chunks = Array.from({ length: 50_000 }, () => "x".repeat(1_000));
    const [line = "", ...others] = await collectLines([...chunks, "\nend"]);
    expect([line.length, others]).toEqual([50_000_000, ["end"]]);
  });
});
