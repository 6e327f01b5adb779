import { existsSync } from "node:fs";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import type { Context } from "../context.ts";
import { readSandboxVariables } from "./sandbox-variables.ts";

/** Starts a sandbox inside this process. The only door from the command line to the sandbox's code. */
export async function startEmbeddedSandbox(context: Context, options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import("../../../sandbox/index.ts");
  return startSandbox({
    now: context.now,
    // One that does not exist keeps no sandbox from starting: it answers an upload with what to set.
    ...(existsSync(context.temporaryDirectory) && { tempDir: context.temporaryDirectory }),
    ...readSandboxVariables(context),
    ...options,
  });
}
