import type { SandboxOptions } from "../../../sandbox/index.ts";
import { GREASE_DIMENSIONS, type GreaseDimension, isGreaseDimension } from "../../contract/grease.ts";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { parseInteger } from "../framework/values.ts";

/** The largest seed of a sandbox. */
export const MAX_SEED = 2 ** 32 - 1;

/** @param place as messages name it: a flag or a variable */
export function parseGrease(text: string, place = "--grease"): readonly GreaseDimension[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !isGreaseDimension(name));
  if (unknown !== undefined) {
    throw usageError("unknown_grease", `"${unknown}" is nothing that ${place} can vary`, {
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  }
  return GREASE_DIMENSIONS.filter((dimension) => names.includes("all") || names.includes(dimension));
}

/** What the environment says of every sandbox that is started here, so that a whole pipeline can run greased. */
export function readSandboxVariables({ env }: Context): Pick<SandboxOptions, "grease" | "seed"> {
  const { CLAIMS_SANDBOX_GREASE: grease, CLAIMS_SANDBOX_SEED: seed } = env;
  const ofSeed = { what: "CLAIMS_SANDBOX_SEED", min: 0, max: MAX_SEED };
  return {
    ...(grease && { grease: parseGrease(grease, "CLAIMS_SANDBOX_GREASE") }),
    ...(seed && { seed: parseInteger(seed, ofSeed) }),
  };
}
