import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { BIN } from "./cli.ts";

/** `script` gives a program a terminal of its own. */
export const hasScript = spawnSync("script", ["--version"]).status === 0;

export interface TerminalOptions {
  /** Characters of a line; without it, what `script` makes of it. */
  readonly columns?: number;
  /** Throws stdout away, so that the screen shows stderr alone. */
  readonly stderrOnly?: boolean;
}

/** Runs the built command line on a pseudo terminal, with typed input, and returns the screen's text. */
export function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { columns, stderrOnly = false }: TerminalOptions = {},
) {
  const line = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
  const sized = columns === undefined ? line : `stty cols ${columns}; ${line}`;
  const child = spawn("script", ["-qec", stderrOnly ? `${sized} > /dev/null` : sized, "/dev/null"], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const screen = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen.text += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { screen, ended, type: (text: string) => void child.stdin.write(text) };
}
