import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { checkSubmission } from "../../../../../../src/cli/commands/diligence/check-submission.ts";
import type { InputFile } from "../../../../../../src/cli/files/input-file.ts";
import { withoutProgress } from "../../../../../../src/cli/output/progress.ts";
import { ROOT } from "../../../../../support/cli.ts";
import { createTerminalContext } from "../../../../../support/terminal.ts";

const BYTES = readFileSync(join(ROOT, "fixtures/sample_entries.csv"));

/** A submission whose file is read slowly, as a large one is. */
function createSlowSubmission() {
  const file = {
    displayName: "entries.csv",
    async *chunks() {
      for (let at = 0; at < BYTES.length; at += BYTES.length / 8) {
        await sleep(100);
        yield BYTES.subarray(at, at + BYTES.length / 8);
      }
    },
  } as Pick<InputFile, "displayName" | "chunks"> as InputFile;
  return { file, source: "entries.csv", sellerName: "Harbor & Pine Trading, LLC", protestDocs: false };
}

describe("the check before a submission", () => {
  it("shows its progress on a terminal when it takes more than a second", async () => {
    const { context, stderr } = createTerminalContext();
    await checkSubmission(context, createSlowSubmission(), { check: undefined });
    expect(stderr.text).toMatch(/^- (reading )?entries\.csv/);
  });

  it("leaves the terminal to the progress of a batch", async () => {
    const { context, stderr } = createTerminalContext();
    await checkSubmission(withoutProgress(context), createSlowSubmission(), { check: undefined });
    expect(stderr.text).toBe("");
  });
});
