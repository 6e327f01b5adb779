import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assessFile } from "../../../../../../src/cli/commands/diligence/assess-file.ts";
import type { InputFile } from "../../../../../../src/cli/files/input-file.ts";
import { createContext } from "../../../../../../src/cli/main.ts";
import { parseIsoDay } from "../../../../../../src/domain/entries/dates.ts";
import { PROGRAM, ROOT } from "../../../../../support/cli.ts";

const BYTES = readFileSync(join(ROOT, "fixtures/sample_entries.csv"));
const context = createContext({
  ...PROGRAM,
  cwd: ROOT,
  signal: new AbortController().signal,
});

/** The file in chunks of this size. */
const inChunks = (size: number) =>
  ({
    displayName: "entries.csv",
    async *chunks() {
      for (let at = 0; at < BYTES.length; at += size) yield BYTES.subarray(at, at + size);
    },
  }) as Pick<InputFile, "displayName" | "chunks"> as InputFile;

const assess = (size: number, maxBytes?: number) => {
  const options = {
    asOf: parseIsoDay("2026-11-20") ?? 0,
    sellerName: "",
    requiresProtestDocumentation: false,
  };
  return assessFile(context, inChunks(size), options, maxBytes);
};

describe("the first bytes of a file", () => {
  it.each([
    ["at the end of a chunk", 4_096, 8_192],
    ["within a chunk", 4_096, 10_000],
    ["in chunks that are shorter than a line", 50, 10_000],
    ["at the end of the file", 4_096, BYTES.length],
  ])("end with a whole line: %s", async (_, size, maxBytes) => {
    const { report } = await assess(size, maxBytes);
    const end = BYTES.indexOf("\n", maxBytes);
    const lines = BYTES.subarray(0, end === -1 ? BYTES.length : end + 1)
      .toString()
      .trimEnd()
      .split("\n");
    expect(report.totals.entriesSubmitted).toBe(lines.length - 1);
    const whole = await assess(BYTES.length);
    const rejected = whole.report.rejections.filter(({ line }) => line <= lines.length);
    expect(report.rejections).toEqual(rejected);
  });
});
