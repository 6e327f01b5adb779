import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderForTerminal } from "../../../../../src/cli/output/blocks.ts";
import { renderTableLines } from "../../../../../src/cli/output/list-table.ts";

/** A column has characters that no other column has, so a test finds its cells in the drawn lines. */
const ALPHABETS: readonly (readonly string[])[] = [
  ["x", "y", "é", "表", "👍"],
  ["F", "A", "I", "L", "E", "D", "FAILED", "語"],
  ["u", "v", "한", "🚀"],
];
const COLUMNS = [{ name: "1" }, { name: "state", align: "right" as const }, { name: "3" }];

const word = (alphabet: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: 1, maxLength }).map((parts) => parts.join(""));

const cell = (alphabet: readonly string[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.array(word(alphabet, 9), { maxLength: 9 }).map((words) => words.join(" ")) },
    { weight: 1, arbitrary: word(alphabet, 1_200) },
  );

/** Rows with a cell of each alphabet, some of more than one page. */
const tables = fc.array(fc.tuple(...ALPHABETS.map(cell)), { minLength: 1, maxLength: 60 });

const withoutColour = (text: string) => text.replace(/\u001b\[\d+m/g, "");

const charactersOf = (text: string, column: number): readonly string[] =>
  [...text].filter((character) => ALPHABETS[column]?.includes(character));

/** Where the cells of a column begin, or end if it is aligned to the right, in the lines that have one. */
function edgesOf(lines: readonly string[], column: number): readonly number[] {
  const isOwn = (character: string) => charactersOf(character, column).length > 0;
  const edges = lines.map((line) => {
    const isRight = COLUMNS[column]?.align === "right";
    const at = isRight ? [...line].findLastIndex(isOwn) + 1 : [...line].findIndex(isOwn);
    return [...line].some(isOwn) ? stringWidth([...line].slice(0, at).join("")) : [];
  });
  return [...new Set(edges.flat())];
}

const drawTable = async (rows: readonly string[][], width: number, colour: boolean) =>
  renderForTerminal([{ kind: "table", columns: COLUMNS, rows }], { hasColour: colour, columns: width });

async function drawList(rows: readonly string[][], width: number, colour: boolean) {
  const columns = COLUMNS.map((column, index) => ({
    ...column,
    value: (row: readonly string[]) => row[index],
    canWrap: true as const,
  }));
  let text = "";
  for await (const line of renderTableLines(rows, columns, { hasColour: colour, columns: width }))
    text += line;
  return text;
}

describe.each([
  ["a table", drawTable],
  ["a list", drawList],
])("%s", (_, draw) => {
  it("has each character of its cells in order, aligned columns, and the same text in colour", async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.constantFrom(0, 40, 80, 120), async (rows, width) => {
        const text = await draw(rows, width, false);
        const lines = text.split("\n").slice(1);
        for (const column of COLUMNS.keys()) {
          const cells = rows.flatMap((row) => charactersOf(row[column] ?? "", column));
          expect(charactersOf(lines.join(""), column)).toEqual(cells);
          expect(edgesOf(lines, column).length).toBeLessThan(2);
        }
        if (draw === drawList && width > 0)
          expect(Math.max(...lines.map(stringWidth))).toBeLessThanOrEqual(width);
        expect(lines.every((line) => line === line.trimEnd())).toBe(true);
        expect(withoutColour(await draw(rows, width, true))).toBe(text);
      }),
      { numRuns: 20 },
    );
  });

  it("continues a text of more than 500 characters on the next line", async () => {
    const lines = (await draw([["x".repeat(1_100), "FAILED", "u"]], 0, false)).trimEnd().split("\n");
    expect(lines.map((line) => charactersOf(line, 0).length)).toEqual([0, 500, 500, 100]);
    expect(lines.map((line) => charactersOf(line, 2).length)).toEqual([0, 1, 0, 0]);
  });
});
