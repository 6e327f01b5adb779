import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Of this repository, which is the current folder of `npm run fuzz` and of the tests. */
const FOLDER = resolve("test/fuzz/corpus");

export interface CorpusEntry {
  /** See `Target.open`. */
  readonly greaseSeed: number | null;
  readonly input: unknown;
}

/** Every input that once broke an invariant of a target. */
export function readCorpus(target: string): (CorpusEntry & { readonly name: string })[] {
  const folder = join(FOLDER, target);
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names.map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name), "utf8")) }));
}

/** Returns the path of the file. */
export function addToCorpus(target: string, entry: CorpusEntry): string {
  const folder = join(FOLDER, target);
  const text = `${JSON.stringify(entry, null, 2)}\n`;
  const path = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  return path;
}
