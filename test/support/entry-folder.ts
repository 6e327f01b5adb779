import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliResult, fixture, runCli, temporaryFolder } from "./cli.ts";
import { SELLER } from "./sandbox.ts";
import { type Script, sendJson } from "./scripted-service.ts";

/** Creates a folder of entry files, file-00.csv and so on, which differ in the duty of an entry. */
export function createEntryFolder(count: number, parent = temporaryFolder(), name = "entries"): string {
  const folder = join(parent, name);
  const entries = readFileSync(fixture("scenario_partial.csv"), "utf8");
  mkdirSync(folder);
  for (let n = 0; n < count; n += 1)
    writeFileSync(
      join(folder, `file-${String(n).padStart(2, "0")}.csv`),
      entries.replace(",2000.00,", `,${1000 + n}.00,`),
    );
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

/** Creates a folder of entry files, and returns the path of its batch log. */
export function createFiles(count: number) {
  const home = temporaryFolder();
  const folder = createEntryFolder(count, home);
  return { home, folder, names: readdirSync(folder), batchLog: `${folder}.batch.jsonl` };
}

/** Runs a batch of a folder. */
export const runFolder = (env: Record<string, string>, folder: string, ...more: string[]) =>
  runCli(batchArgs(folder, ...more), { env });

export const parseSortedItems = (result: CliResult) =>
  parseItems(result).sort((one, other) => (one.file < other.file ? -1 : 1));

/** Accepts every submission with a job id of its own. */
export const acceptSubmission: Script = (request, response, count) =>
  request.method === "POST"
    ? sendJson(response, 202, { jobId: `j-${count}` })
    : sendJson(response, 404, { detail: "none" });
