// @ts-check
// `node .ci/breaks.js [NUMBER…]`: makes each change of breaks.txt in a copy of the last commit, and runs its tests, which must fail.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseSync } from "rolldown/utils";

const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "claims-breaks-"));

/** @typedef {{ promise: string, file: string, find: string, replace: string, tests: string[] }} Break */

/** @type {readonly Break[]} */
const BREAKS = readFileSync(join(import.meta.dirname, "breaks.txt"), "utf8")
  .trim()
  .split("\n\n")
  .slice(1)
  .map((block) => {
    const [promise = "", file = "", find = "", replace = "", tests = ""] = block.split("\n");
    return { promise, file, find: find.slice(2), replace: replace.slice(2), tests: tests.split(" ") };
  });

/** Of the tests of one change: it can make a test wait without an end. */
const TIMEOUT_MS = 600_000;

/** @param {string} program @param {readonly string[]} args @param {string} cwd */
const run = (program, args, cwd) =>
  spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });

/** Many tests run the built program. @param {readonly string[]} tests */
function passes(tests) {
  const built = run("node", ["build/build.js"], copy);
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`);
  const { status, signal, stdout } = run("npx", ["vitest", "run", "--bail=1", ...tests], copy);
  if (signal === null && !/Tests .*(passed|failed)/.test(stdout))
    throw new Error(`no test ran: ${stdout.slice(-2_000)}`);
  return status === 0;
}

/** @param {Break} entry */
function tryBreak({ file, find, replace, tests }) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  const [before = "", after, ...more] = text.split(find);
  if (after === undefined || more.length > 0) throw new Error(`not once in ${file}: ${find}`);
  const broken = before + replace + after;
  const [error] = parseSync(path, broken).errors;
  if (error !== undefined) throw new Error(`${file} cannot be read with the change: ${error.message}`);
  writeFileSync(path, broken);
  try {
    return passes(tests) ? "SURVIVED" : "caught";
  } finally {
    writeFileSync(path, text);
  }
}

try {
  run("git", ["clone", "--quiet", "--shared", root, copy], root);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const numbers = process.argv.slice(2).map(Number);
  const chosen = BREAKS.filter((_, index) => numbers.length === 0 || numbers.includes(index + 1));
  if (!passes([...new Set(chosen.flatMap(({ tests }) => tests))]))
    throw new Error("a test fails without a change");
  const survivors = chosen.filter((entry) => {
    let result = "SURVIVED";
    try {
      result = tryBreak(entry);
    } catch (error) {
      process.stdout.write(`${error}\n`);
    }
    process.stdout.write(`${result}  ${BREAKS.indexOf(entry) + 1}. ${entry.promise}\n`);
    return result !== "caught";
  });
  process.stdout.write(`${chosen.length - survivors.length} caught, ${survivors.length} survived\n`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
