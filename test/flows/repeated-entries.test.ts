import { renameSync, symlinkSync, writeFileSync } from "node:fs";
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
  };

  async function setUpSubmitted(text = original) {
    const machine = await startMachineWithFolder();
    const { batch, file, folder } = machine;
    writeFileSync(file, text);
    expect((await batch(folder)).code).toBe(0);
    return { ...machine, copy: join(folder, "copy.csv") };
  }

  it.each(Object.entries(FORMS))("is not sent again: %s", async (_, text) => {
    const { batch, claims, copy, folder, service } = await setUpSubmitted();
    writeFileSync(copy, text);
    const found = /\S*copy\.csv has the same entries as \S*a\.csv, which was accepted at .* UTC as job /;
    for (const more of [["--all-or-nothing"], []]) {
      const result = await batch(folder, ...more, "--json");
      expect([result.code, result.stdout]).toEqual([5, expect.stringMatching(found)]);
    }
    expect((await claims(submitArgs(copy))).code).toBe(5);
    const skipped = await claims(submitArgs(copy, "--on-duplicate", "skip", "-q"));
    expect([skipped.code, skipped.stdout]).toEqual([0, `${service.jobs[0]?.id}\n`]);
    expect((await batch(folder, "--on-duplicate", "skip")).code).toBe(0);
    expect(service.jobs).toHaveLength(1);
    const warned = await claims(submitArgs(copy, "--on-duplicate", "warn"));
    expect([warned.code, warned.stderr]).toEqual([0, expect.stringMatching(found)]);
    expect(service.jobs).toHaveLength(2);
  });

  it.each<[string, (files: { file: string; folder: string; home: string }) => string]>([
    [
      "the file that was sent has another name, as logrotate gives it",
      ({ file, folder }) => {
        renameSync(file, join(folder, "a.1.csv"));
        writeFileSync(file, toCrlf(original));
        return folder;
      },
    ],
    [
      "its folder has another name",
      ({ folder, home }) => {
        const other = join(home, "november");
        renameSync(folder, other);
        writeFileSync(join(other, "b.csv"), toCrlf(original));
        return other;
      },
    ],
    [
      "its folder is reached by a link",
      ({ folder, home }) => {
        const link = join(home, "link");
        symlinkSync(folder, link);
        writeFileSync(join(folder, "b.csv"), toCrlf(original));
        return link;
      },
    ],
  ])("is not sent again if %s", async (_, change) => {
    const machine = await setUpSubmitted();
    const { code, stdout } = await machine.batch(change(machine), "--json");
    expect([code, stdout]).toEqual([5, expect.stringContaining("has the same entries as a.csv")]);
    expect(machine.service.jobs).toHaveLength(1);
  });

  it("is not sent again beside a corrected file with the same entries", async () => {
    const { batch, copy, folder, service } = await setUpSubmitted();
    writeFileSync(join(folder, "b.csv"), original.replace("2025-06-01", "2025-06-02"));
    writeFileSync(copy, toCrlf(original));
    const { code, stdout } = await batch(folder, "--json");
    expect([code, stdout]).toEqual([5, expect.stringMatching(/copy\.csv has the same entries as \S*a\.csv/)]);
    expect(service.jobs).toHaveLength(2);
  });

  it.each(["HARBOR & PINE TRADING, LLC", "Harbor & Pine Trading LLC."])(
    "is not sent under another spelling of its seller: %s",
    async (seller) => {
      const { claims, copy, file, folder, service } = await setUpSubmitted();
      const other = ["diligence", "batch", folder, "--seller-name", seller, "--json"];
      const result = await claims(other);
      expect([result.code, result.stdout]).toEqual([
        5,
        expect.stringContaining("for the seller Harbor & Pine Trading, LLC"),
      ]);
      renameSync(file, copy);
      expect((await claims([...other, "--on-duplicate", "skip"])).code).toBe(0);
      expect(service.jobs).toHaveLength(1);
    },
  );

  it("is a warning if another seller has it, or if its protest flag differs", async () => {
    const { claims, folder, service } = await setUpSubmitted();
    const batch = ["diligence", "batch", folder, "--seller-name"];
    const other = await claims([...batch, "Another Seller, Inc."]);
    const found = /^warning: 3 entries of a\.csv are also in a\.csv \(submitted at .*\), so that/m;
    expect([other.code, other.stderr]).toEqual([0, expect.stringMatching(found)]);
    expect((await claims([...batch, "Harbor & Pine Trading, LLC", "--protest-docs"])).stderr).toMatch(found);
    expect(service.jobs).toHaveLength(3);
  });

  it.each([
    ["one of them has changed", toCrlf(original).replace("2025-06-01", "2025-06-02")],
    ["it is an ES-003 now, which has other columns", es003Csv(numbers)],
  ])("is a warning if its entries are there, but %s", async (_, text) => {
    const { batch, copy, folder, service } = await setUpSubmitted();
    writeFileSync(copy, text);
    const { code, stderr } = await batch(folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining("3 entries of copy.csv are also in a.csv")]);
    expect(service.jobs).toHaveLength(2);
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
});

describe("two files of one run with the same entries", () => {
  const numbers = [1, 2, 3].map(ordinaryEntryNumber);
  const original = entriesCsv(numbers);
  const turnRows = (text: string) => {
    const [heading = "", ...rows] = text.trim().split("\n");
    return [heading, ...rows.reverse(), ""].join("\n");
  };
  const SELLER = "Harbor & Pine Trading, LLC";

  async function setUpTwo(copy: string) {
    const machine = await startMachineWithFolder();
    writeFileSync(machine.file, original);
    writeFileSync(join(machine.folder, "copy.csv"), copy);
    return machine;
  }

  it.each([
    ["in another form", original.replaceAll("\n", "\r\n")],
    ["in another order", turnRows(original)],
    ["of which one has a part", entriesCsv(numbers.slice(1))],
  ])("are one submission: %s", async (_, copy) => {
    const { batch, folder, service } = await setUpTwo(copy);
    for (const more of [["--all-or-nothing"], ["--concurrency", "1"], ["--on-duplicate", "fail"]]) {
      const { code, stdout } = await batch(folder, ...more, "--json");
      expect([code, service.jobs.length]).toEqual([5, 1]);
      expect(stdout).toMatch(
        /copy\.csv has the same entries as a\.csv, which (this run sends, too|was accepted at)/,
      );
    }
    expect((await batch(folder, "--on-duplicate", "submit")).code).toBe(0);
  });

  it("are one job for --on-duplicate skip", async () => {
    const { batch, folder, service } = await setUpTwo(turnRows(original));
    const { code, stdout } = await batch(folder, "--on-duplicate", "skip", "--csv", "--fields", "file,jobId");
    const [job] = service.jobs;
    expect([code, stdout.split("\r\n")]).toEqual([
      0,
      ["file,jobId", `a.csv,${job?.id}`, `copy.csv,${job?.id}`, ""],
    ]);
    expect(service.jobs).toHaveLength(1);
  });

  it("are two if they differ in an entry, which is a warning", async () => {
    const { batch, folder, service } = await setUpTwo(original.replace("2025-06-01", "2025-06-02"));
    const { code, stderr } = await batch(folder);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("3 entries of copy.csv are also in a.csv, so"),
    ]);
    expect(service.jobs).toHaveLength(2);
  });

  it.each([
    [
      "another spelling of the seller",
      `a.csv,${SELLER.toUpperCase().replace(",", "")},no`,
      5,
      1,
      "for the seller",
    ],
    ["another protest flag", `a.csv,"${SELLER}",yes`, 0, 2, "also in another submission of it"],
  ])("are found in a manifest that has one file with %s", async (_, row, code, jobs, text) => {
    const { batch, file, folder, service } = await startMachineWithFolder();
    writeFileSync(file, original);
    const manifest = join(folder, "manifest.csv");
    writeFileSync(manifest, `file,seller,protest_docs\na.csv,"${SELLER}",no\n${row}\n`);
    const result = await batch(manifest, "--json");
    expect([result.code, service.jobs.length]).toEqual([code, jobs]);
    expect(result.stdout + result.stderr).toContain(text);
  });

  it("do not count a file that was not sent", async () => {
    const { batch, folder, file } = await setUpTwo(original);
    // Two rows of one entry that differ stop it.
    writeFileSync(file, `${original}${original.split("\n")[1]?.replace("2025-06-01", "2025-07-01")}\n`);
    const { stderr, stdout } = await batch(folder, "--json");
    expect(stdout).toContain("a.csv may be read wrong");
    expect(stderr).not.toContain("also in");
  });
});

it("an export with one more row, which is rejected, has the entries of the one before", async () => {
  const { batch, file, folder, service } = await startMachineWithFolder();
  const text = entriesCsv([1, 2, 3].map(ordinaryEntryNumber));
  writeFileSync(file, text);
  expect((await batch(folder)).code).toBe(0);
  const columns = text.split("\n")[0]?.split(",").length ?? 0;
  writeFileSync(join(folder, "copy.csv"), `${text}Total${",".repeat(columns - 1)}\n`);
  const { code, stdout } = await batch(folder, "--json");
  expect([code, service.jobs.length]).toEqual([5, 1]);
  expect(stdout).toContain("copy.csv has the same entries as a.csv");
});
