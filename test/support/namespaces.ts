import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Runs the command behind it as PID 1 of a PID namespace of its own, as a container does; killed, it takes that along. */
export const UNSHARE: readonly string[] = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"];

/** Runs the command behind it as a user of whom the system knows nothing, as some container platforms do. */
export const ARBITRARY_USER: readonly string[] = [
  ...["setpriv", "--reuid=12345", "--regid=0", "--clear-groups"],
];

/** Skips a test where PID namespaces cannot be made. */
export function skipWithoutUnshare({ skip }: TestContext): void {
  const [command = "", ...args] = UNSHARE;
  skip(!works(command, ...args, "true"), "needs Linux, unshare(1) and the right to make PID namespaces");
}

/** Skips a test where the user cannot be changed. */
export function skipWithoutArbitraryUser({ skip }: TestContext): void {
  const [command = "", ...args] = ARBITRARY_USER;
  skip(!works(command, ...args, "true"), "needs setpriv(1) and root");
}
