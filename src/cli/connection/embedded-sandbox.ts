import { existsSync } from "node:fs";
import type { HostOptions } from "../../../sandbox/api/host-options.ts";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { GREASE_DIMENSIONS, type GreaseDimension, isGreaseDimension } from "../../contract/grease.ts";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { parseSeed } from "../framework/values.ts";

/** A client that sends when the server closes an idle connection gets an error, and cannot know whether it may repeat a POST. */
export const LOOPBACK_IDLE_MS = 120_000;

/** Starts a sandbox in this process. No other module of the command line imports the sandbox's code. */
export async function startEmbeddedSandbox(
  context: Context,
  options: SandboxOptions = {},
  hostOptions: HostOptions = {},
) {
  const { startHostedSandbox } = await import("../../../sandbox/start.ts");
  return startHostedSandbox(
    { ...readSandboxVariables(context), ...options },
    {
      now: context.now,
      idleConnectionMs: LOOPBACK_IDLE_MS,
      // Without this folder the sandbox starts, and answers an upload with what to set.
      ...(existsSync(context.temporaryDirectory) && { tempDir: context.temporaryDirectory }),
      ...hostOptions,
    },
  );
}

/** @param source the flag or the variable, as messages name it */
export function parseGrease(text: string, source = "--grease"): readonly GreaseDimension[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !isGreaseDimension(name));
  if (unknown !== undefined) {
    throw usageError("option_invalid", `${source} cannot vary "${unknown}"`, {
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  }
  return GREASE_DIMENSIONS.filter((dimension) => names.includes("all") || names.includes(dimension));
}

/** Settings for every sandbox that starts here, so that a whole pipeline can run with grease. */
function readSandboxVariables({ env }: Context): Pick<SandboxOptions, "grease" | "seed"> {
  const { CLAIMS_SANDBOX_GREASE: grease, CLAIMS_SANDBOX_SEED: seed } = env;
  return {
    ...(grease && { grease: parseGrease(grease, "CLAIMS_SANDBOX_GREASE") }),
    ...(seed && { seed: parseSeed(seed, "CLAIMS_SANDBOX_SEED") }),
  };
}
