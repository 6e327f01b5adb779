import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Runs the command after it as PID 1 of a new PID namespace, as a container does, and kills it when killed itself. */
export const UNSHARE: readonly string[] = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"];

/** Runs the command after it as a user without a passwd entry, as some container platforms do. */
export const ARBITRARY_USER: readonly string[] = [
  ...["setpriv", "--reuid=12345", "--regid=0", "--clear-groups"],
];

/** Skips a test if the system cannot create PID namespaces. */
export function skipWithoutUnshare({ skip }: TestContext): void {
  const [command = "", ...args] = UNSHARE;
  skip(!succeeds(command, ...args, "true"), "needs Linux, unshare(1) and the right to create PID namespaces");
}

/** Skips a test if the user cannot be changed. */
export function skipWithoutArbitraryUser({ skip }: TestContext): void {
  const [command = "", ...args] = ARBITRARY_USER;
  skip(!succeeds(command, ...args, "true"), "needs setpriv(1) and root");
}
