import { spawnSync } from "node:child_process";
import { type CliResult, fixture, runProcess } from "./cli.ts";

/** The languages of the clients in fixtures/conformance. */
export type Language = "node" | "python";

export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** The command line of a client in fixtures/conformance. */
export const commandOf = (language: Language, name: string, ...args: string[]): string[] =>
  language === "node"
    ? [process.execPath, fixture(`conformance/${name}.mjs`), ...args]
    : ["python3", "-B", fixture(`conformance/${name}.py`), ...args];

/** The part of `claims conformance --json` that tests read. */
export interface Report {
  readonly verdict: string;
  readonly scenarios: readonly { readonly runs: readonly { readonly exitCode: number | null }[] }[];
  readonly rules: readonly {
    readonly id: string;
    readonly basis: string;
    readonly verdict: string;
    readonly findings: readonly unknown[];
  }[];
}

/** Runs `claims conformance --json`. */
export async function grade(
  command: readonly string[],
  options: readonly string[] = [],
): Promise<CliResult & { readonly report: Report }> {
  const result = await runProcess(["conformance", "--json", ...options, "--", ...command]);
  if (result.stdout === "") throw new Error(result.stderr);
  return { ...result, report: JSON.parse(result.stdout) };
}

export const listFailures = ({ rules }: Report) => rules.filter(({ verdict }) => verdict === "fail");
