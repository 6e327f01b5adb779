import type { Sandbox } from "../../../../sandbox/index.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

/** Says that a sandbox responds otherwise than the contract. */
export function printMapping(context: Context, mapping: Sandbox["mapping"]): void {
  if (mapping) printMessage(context, `the sandbox responds by ${describeMapping(mapping)}`);
}

export const describeMapping = (mapping: NonNullable<Sandbox["mapping"]>): string =>
  `a mapping of ${formatCount(Object.keys(mapping).length, "line")}; what has no line is as in the contract`;
