import { existsSync } from "node:fs";
import type { HostOptions } from "../../../sandbox/api/host-options.ts";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { GREASE_DIMENSIONS, type GreaseDimension, isGreaseDimension } from "../../contract/grease.ts";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";

/** A client that sends when the server closes an idle connection gets an error, and cannot know whether it may repeat a POST. */
export const LOOPBACK_IDLE_MS = 120_000;

/** Starts a sandbox in this process. No other module of the command line imports the sandbox's code. */
export async function startEmbeddedSandbox(
  context: Context,
  options: SandboxOptions = {},
  hostOptions: HostOptions = {},
) {
  const { startHostedSandbox } = await import("../../../sandbox/start.ts");
  return startHostedSandbox(options, {
    now: context.now,
    idleConnectionMs: LOOPBACK_IDLE_MS,
    // Without this folder the sandbox starts, and answers an upload with what to set.
    ...(existsSync(context.temporaryDirectory) && { tempDir: context.temporaryDirectory }),
    ...hostOptions,
  });
}

export function parseGrease(text: string): readonly GreaseDimension[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !isGreaseDimension(name));
  if (unknown !== undefined) {
    throw usageError("option_invalid", `--grease cannot vary "${unknown}"`, {
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  }
  return GREASE_DIMENSIONS.filter((dimension) => names.includes("all") || names.includes(dimension));
}
