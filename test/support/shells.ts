import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, SHELL_SCRIPT, temporaryFolder } from "./cli.ts";

/** Whether a program is installed. */
export const hasProgram = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;

/** Creates a working folder and an environment whose PATH has the built `claims`. */
export function shellWithClaims() {
  const folder = temporaryFolder();
  const tools = join(folder, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "claims"), SHELL_SCRIPT, { mode: 0o755 });
  const environment = bareEnvironment(folder);
  const env: Record<string, string> = {
    ...environment,
    PATH: `${tools}:${environment.PATH}`,
    TERM: "xterm",
    LC_ALL: "C.UTF-8",
  };
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return { folder, env, run };
}
