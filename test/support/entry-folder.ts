import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliResult, fixture, temporaryFolder } from "./cli.ts";
import { SELLER } from "./sandbox.ts";

/** Creates a folder of entry files, file-00.csv and so on, which differ in trailing blank lines. */
export function createEntryFolder(count: number, parent = temporaryFolder(), name = "entries"): string {
  const folder = join(parent, name);
  const entries = readFileSync(fixture("scenario_partial.csv"), "utf8");
  mkdirSync(folder);
  for (let n = 0; n < count; n += 1)
    writeFileSync(join(folder, `file-${String(n).padStart(2, "0")}.csv`), `${entries}${"\n".repeat(n)}`);
  return folder;
}

/** The command line that submits a folder for the fixtures' seller. */
export const batchArgs = (folder: string, ...more: string[]): string[] => [
  ...["diligence", "batch", folder, "--seller-name", SELLER],
  ...more,
];

/** A line of the output of a batch. */
export interface BatchItem {
  readonly file: string;
  readonly jobId: string | null;
  readonly state: string;
  readonly key: string | null;
  readonly outcome: string | null;
  readonly error: { code: string; line: number | null; message: string; hint: string } | null;
}

export const parseItems = ({ stdout }: Pick<CliResult, "stdout">): BatchItem[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
