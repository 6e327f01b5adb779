import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { splitGlobalOptions } from "../../src/cli/framework/global-options.ts";
import type { CliResult } from "./cli.ts";
import { descendantsOf } from "./descendants.ts";
import { findInvalidDocument } from "./printed-documents.ts";

/** Invariants of product.md §2 that a run of the command line broke; the test setup empties the list after every test. */
export const brokenInvariants: string[] = [];

/** The form of every secret in this suite. */
const SECRET = /\b(sk|cs|at|whsec)_\w{8,}/;

/** Shorter values of variables can be ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** Commands that print a secret on purpose, or the output of another program. */
const PRINTS_SECRETS = [
  /^sandbox (up|env|exec|credentials|snapshot save (\S+ )?--file -)(\s|$)/,
  /^auth token\b/,
  /^webhooks (vectors|create .*--json)\b/,
  /^api POST \/v1\/webhooks\/endpoints\b/,
];

const isSecretName = (name: string): boolean => /(KEY|SECRET|TOKEN)$/.test(name);

/** Checks one run of the command line against the invariants of every run. */
export function checkRun(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  result: CliResult,
  { wasStdoutClosed }: { readonly wasStdoutClosed: boolean },
): void {
  const { leading, rest } = splitGlobalOptions(args);
  const words = [...rest, ...leading.flatMap((option) => option.words)];
  const line = words.join(" ");
  const report = (problem: string) => brokenInvariants.push(`claims ${line}: ${problem}`);
  if (SECRET.test(line)) report("a secret in argv");
  if (!PRINTS_SECRETS.some((command) => command.test(line))) {
    const secrets = Object.entries(env).flatMap(([name, value]) =>
      isSecretName(name) && value && value.length >= MIN_SECRET_LENGTH ? [value] : [],
    );
    for (const stream of ["stdout", "stderr"] as const) {
      const text = result[stream];
      if (SECRET.test(text) || secrets.some((secret) => text.includes(secret)))
        report(`a secret on ${stream}`);
    }
  }
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const own = [...rest.slice(0, end), ...words.slice(rest.length)];
  const format = formatOf(own);
  const isExec = line.startsWith("sandbox exec");
  if (isExec && !line.includes("--grease-each")) return;
  if (format && !wasStdoutClosed) {
    const problem = parses(result.stdout, format)
      ? findInvalidDocument(own, result.stdout, format)
      : `not ${format}: ${result.stdout.slice(0, 200)}`;
    if (problem !== undefined) report(`stdout: ${problem}`);
  }
  // With what the command that it runs prints.
  if (isExec || own.includes("--passive")) return;
  if (format && !parses(result.stderr, "ndjson")) report(`stderr is not NDJSON: ${result.stderr}`);
  if (result.code) checkFailure(result, format !== null, report);
}

function formatOf(own: readonly string[]): "json" | "ndjson" | null {
  const isEndless = /^webhooks listen\b|^sandbox requests\b.* --watch\b/.test(own.join(" "));
  if (own.includes("--ndjson") || (isEndless && own.includes("--json"))) return "ndjson";
  // The service decides the form of a dataset, and --curl prints a shell line.
  return own.includes("--json") && !own.includes("--curl") ? "json" : null;
}

function parses(text: string, format: "json" | "ndjson"): boolean {
  try {
    for (const part of format === "json" ? [text] : text.split("\n"))
      if (part.trim() !== "") JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

function checkFailure({ code, stderr }: CliResult, json: boolean, report: (problem: string) => void): void {
  const [, text = ""] = (json ? /"hint":"((?:[^"\\]|\\.)*)"/ : /^hint: (.+)$/m).exec(stderr) ?? [];
  const [, said = ""] =
    (json ? /\{"error":\{.*?"message":"((?:[^"\\]|\\.)*)"/ : /^error: (.+)$/m).exec(stderr) ?? [];
  if (said && text && (text.includes(said) || said.includes(text)))
    report(`a hint repeats the error: ${text}`);
  for (const parts of [text.split("; "), text.match(/`[^`]+`/g) ?? []])
    if (new Set(parts).size < parts.length) report(`a hint repeats itself: ${text}`);
  if (!json) {
    if (!/^error: .+\n(?: {2}.+\n)*hint: .+$/m.test(stderr)) report(`no error and hint on stderr: ${stderr}`);
    return;
  }
  const documents = stderr.split("\n").filter((text) => text.startsWith('{"error"'));
  if (documents.length !== 1) {
    report(`${documents.length} error documents on stderr: ${stderr}`);
    return;
  }
  const { error } = JSON.parse(documents[0] ?? "") as { error: Record<string, unknown> };
  const { code: name, message, hint, exitCode, retryable } = error;
  const isComplete = [name, message, hint].every((text) => typeof text === "string" && text !== "");
  if (!isComplete || typeof retryable !== "boolean") report(`an incomplete error document: ${documents[0]}`);
  if (exitCode !== code) report(`exit code ${code}, and ${exitCode} in the error document`);
}

/** Milliseconds between two checks of a child's processes. */
const CHECK_INTERVAL_MS = 100;

/** Checks the arguments of a child and its descendants for secrets, as `ps` shows them, until the returned function is called. */
export function checkChildArguments({ pid }: Pick<ChildProcess, "pid">): () => void {
  if (pid === undefined) return () => {};
  const check = () => {
    for (const line of [pid, ...descendantsOf(pid)].map(argumentsOf))
      if (SECRET.test(line)) brokenInvariants.push(`a secret in the list of processes: ${line}`);
  };
  check();
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** The command line of a process (proc(5)); empty if it has ended or the system has no /proc. */
function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
