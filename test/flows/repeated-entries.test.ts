import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startMachineWithFolder, toEntryFile } from "../support/counted-machine.ts";
import { submitArgs } from "../support/sandbox.ts";
import { entriesCsv, es003Csv, ordinaryEntryNumber } from "../support/sandbox-requests.ts";

describe("an export that arrives again a day later, in another form", () => {
  const numbers = [1, 2, 3].map(ordinaryEntryNumber);
  const original = entriesCsv(numbers);
  const toCrlf = (text: string) => text.replaceAll("\n", "\r\n");
  const FORMS: Record<string, string> = {
    "with CRLF": toCrlf(original),
    "with a byte order mark": `\ufeff${original}`,
    "with dashes in its numbers": original.replace(/ZZ9(\d{7})(\d)/g, "ZZ9-$1-$2"),
    "as ES-003": es003Csv(numbers),
  };

  async function setUpSubmitted(text = original) {
    const machine = await startMachineWithFolder();
    const { batch, file, folder } = machine;
    writeFileSync(file, text);
    expect((await batch(folder)).code).toBe(0);
    return { ...machine, copy: join(folder, "copy.csv") };
  }

  it.each(Object.entries(FORMS))("is a warning in a batch, and when it is submitted: %s", async (_, text) => {
    const { batch, claims, copy, folder, service } = await setUpSubmitted();
    writeFileSync(copy, text);
    const found =
      /^warning: 3 entries of \S*copy\.csv are also in \S*a\.csv( \(submitted at .* UTC\))?, so that the claim would count them twice$/m;
    for (const more of [["--all-or-nothing", "--dry-run"], []]) {
      const result = await batch(folder, ...more);
      expect([result.code, result.stderr]).toEqual([0, expect.stringMatching(found)]);
    }
    const submitted = await claims(submitArgs(copy, "--on-duplicate", "warn"));
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringMatching(found)]);
    expect(service.jobs).toHaveLength(3);
    expect((await batch(folder)).stderr).not.toContain("also in");
  });

  it.each<[string, string, (files: { file: string; copy: string }) => void]>([
    ["the file that was sent is gone", original, ({ file, copy }) => renameSync(file, copy)],
    ["it takes the place of that file", original, ({ file }) => writeFileSync(file, toCrlf(original))],
    [
      "that file has other bytes now",
      original,
      ({ copy, file }) => {
        writeFileSync(copy, toCrlf(original));
        writeFileSync(file, toEntryFile(9));
      },
    ],
    [
      "its entries were rejected, and are corrected",
      original.replaceAll("2025-06-01", "2025-06-31"),
      ({ copy }) => writeFileSync(copy, original),
    ],
    ["only its header is the same", original, ({ copy }) => writeFileSync(copy, toEntryFile(9))],
  ])("is no warning if %s", async (_, first, change) => {
    const { batch, copy, file, folder } = await setUpSubmitted(first);
    change({ copy, file });
    const { code, stderr } = await batch(folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("also in")]);
  });

  it("is one warning if it continues the file that was sent", async () => {
    const { batch, copy, folder } = await setUpSubmitted();
    writeFileSync(copy, entriesCsv([...numbers, ordinaryEntryNumber(4)]));
    const { code, stderr } = await batch(folder);
    expect([code, stderr.match(/^warning:/gm)?.length]).toEqual([0, 1]);
    expect(stderr).toContain("copy.csv begins with all of a.csv, which was submitted at ");
  });

  it("is no warning if it continues the file of another seller", async () => {
    const { claims, copy, folder } = await setUpSubmitted();
    writeFileSync(copy, entriesCsv([...numbers, ordinaryEntryNumber(4)]));
    const other = ["diligence", "batch", folder, "--seller-name", "Another Seller, Inc."];
    const { code, stderr } = await claims(other);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("submitted at")]);
  });
});
