import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { PROGRAM } from "./cli.ts";

/** Whether script(1) is installed, which runs a program on a pseudo terminal. */
export const hasScript = spawnSync("script", ["--version"]).status === 0;

export interface TerminalOptions {
  /** Characters per line; by default the width that `script` sets. */
  readonly columns?: number;
  /** Discards stdout, so that the screen shows only stderr. */
  readonly stderrOnly?: boolean;
}

/** Runs the built command line on a pseudo terminal, with typed input, and returns the screen's text. */
export function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { columns, stderrOnly = false }: TerminalOptions = {},
) {
  const line = [...PROGRAM.self, ...args].map((word) => `'${word}'`).join(" ");
  const sizedLine = columns === undefined ? line : `stty cols ${columns}; ${line}`;
  const child = spawn("script", ["-qec", stderrOnly ? `${sizedLine} > /dev/null` : sizedLine, "/dev/null"], {
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const screen = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen.text += text;
  });
  const completion = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { screen, completion, type: (text: string) => void child.stdin.write(text) };
}
