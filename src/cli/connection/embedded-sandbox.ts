import { existsSync } from "node:fs";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import type { Context } from "../context.ts";
import { readSandboxVariables } from "./sandbox-variables.ts";

/** Starts a sandbox in this process. No other module of the command line imports the sandbox's code. */
export async function startEmbeddedSandbox(context: Context, options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import("../../../sandbox/index.ts");
  return startSandbox({
    now: context.now,
    // Without this folder the sandbox starts, and answers an upload with what to set.
    ...(existsSync(context.temporaryDirectory) && { tempDir: context.temporaryDirectory }),
    ...readSandboxVariables(context),
    ...options,
  });
}
