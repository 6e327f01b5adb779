import { existsSync } from "node:fs";
import type { HostOptions } from "../../../sandbox/api/start-options.ts";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import type { Context } from "../context.ts";
import { readSandboxVariables } from "./sandbox-variables.ts";

/** Starts a sandbox in this process. No other module of the command line imports the sandbox's code. */
export async function startEmbeddedSandbox(
  context: Context,
  options: SandboxOptions & HostOptions,
): Promise<Sandbox> {
  const { startHostedSandbox } = await import("../../../sandbox/start.ts");
  return startHostedSandbox({
    now: context.now,
    // Without this folder the sandbox starts, and answers an upload with what to set.
    ...(existsSync(context.temporaryDirectory) && { tempDir: context.temporaryDirectory }),
    ...readSandboxVariables(context),
    ...options,
  });
}
