import { describe, expect, it } from "vitest";
import { rewriteHeader, rewriteRecords } from "../../../../../src/domain/entries/mapping/rewrite-file.ts";
import { splitIntoChunks } from "../../../../support/read-entry-file.ts";

async function* chunksOf(bytes: Uint8Array, size: number) {
  yield* splitIntoChunks(bytes, [size]);
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}

const rename =
  (names: Readonly<Record<string, string>>) =>
  (cells: readonly string[]): (string | null)[] =>
    cells.map((cell) => names[cell] ?? null);

const NAMES = { Entrada: "entry_number", "País, origen": "COO", 'A "b"': "c,d" };

describe("rewriteHeader", () => {
  it.each([
    ["a heading", "x,Entrada,y\n1,2,3\n", "x,entry_number,y\n1,2,3\n"],
    ["quoted headings", '"Entrada","País, origen","y z"\r\n1', 'entry_number,COO,"y z"\r\n1'],
    ["a heading that needs quotes", '"A ""b""",Entrada\n', '"c,d",entry_number\n'],
    ["a byte order mark", "\uFEFFEntrada\n1\n", "\uFEFFentry_number\n1\n"],
    ["a heading of two lines", '"a\nb",Entrada\n1,2\n', '"a\nb",entry_number\n1,2\n'],
    ["a file without a line end", "Entrada,é", "entry_number,é"],
    ["none of them", ' Entrada ,"é"\n', ' Entrada ,"é"\n'],
  ])("replaces %s and nothing else, in pieces of any size", async (_, before, after) => {
    for (const size of [1, 2, 5, 1000]) {
      const rewritten = await collect(rewriteHeader(chunksOf(Buffer.from(before), size), rename(NAMES)));
      expect(rewritten.toString("utf8"), `${size}`).toBe(after);
    }
  });

  it("passes rows that are not UTF-8 or no CSV unchanged", async () => {
    const rows = Buffer.concat([Buffer.from([0xff, 0x00, 0x22, 0x0a, 0xe9]), Buffer.from('",Entrada\r\r')]);
    for (const size of [1, 7, 1000]) {
      const file = Buffer.concat([Buffer.from("Entrada\n"), rows]);
      const rewritten = await collect(rewriteHeader(chunksOf(file, size), rename(NAMES)));
      expect(rewritten.equals(Buffer.concat([Buffer.from("entry_number\n"), rows])), `${size}`).toBe(true);
    }
  });

  it.each([
    ["UTF-16", Buffer.from("\uFEFFEntrada\n", "utf16le"), "FILE_ENCODING"],
    ["Latin-1", Buffer.from("Entrada,País\n", "latin1"), "FILE_ENCODING"],
    ["an open quote", Buffer.from('Entrada,"x\n1\n'), "CSV_MALFORMED"],
    ["more than 1 MiB", Buffer.alloc(2 << 20, "x"), "CSV_MALFORMED"],
  ])("refuses a header of %s", async (_, file, code) => {
    const rewritten = collect(rewriteHeader(chunksOf(file, 65_536), rename(NAMES)));
    await expect(rewritten).rejects.toMatchObject({ code });
  });
});

describe("rewriteRecords", () => {
  it.each([
    ["cells", ";", "x;Entrada\n1;2\n", "x,entry_number\n1,2\n"],
    ["commas in a cell", ";", "x;y\r\n1,5;é\r\n", 'x,y\r\n"1,5",é\r\n'],
    ["quoted cells", ";", '"x;1";y\n"a\n""b""";"c"', '"x;1",y\n"a\n""b""","c"'],
    ["a quote within a cell", "\t", 'x\ty\n5" tube\t\n', 'x,y\n"5"" tube",\n'],
    ["a byte order mark and blank lines", "|", "\uFEFFx|y\n\n|\n", "\uFEFFx,y\n\n,\n"],
  ])("rewrites %s, in pieces of any size", async (_, delimiter, before, after) => {
    for (const size of [1, 2, 5, 1000]) {
      const chunks = chunksOf(Buffer.from(before), size);
      const rewritten = await collect(rewriteRecords(chunks, delimiter, rename(NAMES)));
      expect(rewritten.toString("utf8"), `${size}`).toBe(after);
    }
  });

  it("refuses a file that is not UTF-8, instead of changing its characters", async () => {
    const file = Buffer.from("x;y\n1;é\n", "latin1");
    await expect(collect(rewriteRecords(chunksOf(file, 3), ";", rename({})))).rejects.toMatchObject({
      code: "FILE_ENCODING",
      line: 2,
    });
  });
});
