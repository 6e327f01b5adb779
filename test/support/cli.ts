import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { judge } from "./cli-invariants.ts";
import { greaseEnvironment } from "./varied.ts";

export const BIN = fileURLToPath(new URL("../../bin/claims.js", import.meta.url));
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const fixture = (name: string): string => join(ROOT, "fixtures", name);

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "claims-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment of a person who has nothing set up yet. */
export function bareEnvironment(folder = temporaryFolder()): Record<string, string> {
  const { PATH = "" } = process.env;
  return {
    ...{ PATH, HOME: folder, TMPDIR: folder, CLAIMS_CONFIG_DIR: join(folder, "config") },
    ...greaseEnvironment,
  };
}

/** Starts the built command line in a process of its own. */
export function startCli(
  args: readonly string[],
  { env = bareEnvironment(), cwd }: Omit<CliOptions, "input"> = {},
) {
  const child = spawn(process.execPath, [BIN, ...args], { env, ...(cwd !== undefined && { cwd }) });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  // A command may end without having read what it was given.
  child.stdin.on("error", () => {});
  const ended = new Promise<CliResult>((resolve) => {
    child.once("close", (code, signal) => {
      const result = { code, signal, ...output };
      // A reader that leaves early gets less than a document.
      judge(args, env, result, { cutShort: !child.stdout.readableEnded });
      resolve(result);
    });
  });
  const seen = (pattern: RegExp, stream: "stdout" | "stderr" = "stdout") =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output[stream]);
        if (match) resolve(match);
      };
      child[stream].on("data", look);
      look();
      void ended.then(() => reject(new Error(`ended without ${pattern}: ${JSON.stringify(output)}`)));
    });
  return { child, ended, seen };
}

/** Runs the built command line to its end. */
export async function runCli(
  args: readonly string[],
  { input, ...options }: CliOptions = {},
): Promise<CliResult> {
  const { child, ended } = startCli(args, options);
  child.stdin.end(input);
  return ended;
}

/** What `--json` puts on stderr when a command fails. */
export function errorOf({ stderr }: CliResult): {
  code: string;
  message: string;
  hint: string | null;
  exitCode: number;
} {
  const line = stderr.split("\n").find((text) => text.startsWith('{"error"'));
  if (line === undefined) throw new Error(`no error document on stderr: ${stderr}`);
  return JSON.parse(line).error;
}
