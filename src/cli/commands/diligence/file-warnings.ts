import type { FileWarning } from "../../../domain/entries/file-warnings.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

/** Whether a warning may mean that the claim is wrong. */
const isUrgent = ({ code, similar }: FileWarning): boolean =>
  code === "ROWS_REPEATED" || similar !== undefined;

/** Prints the warnings about an entry file on stderr. The others than those that may change the claim only with `-v`. */
export function warnAboutFile(
  context: Context,
  displayName: string,
  warnings: readonly FileWarning[],
  verbose = false,
): void {
  for (const warning of warnings) {
    if (!verbose && !isUrgent(warning)) continue;
    printMessage(context, `warning: ${displayName}: ${describe(warning, verbose)} (${warning.code})`);
  }
}

/** Unknown headings that are close to a known one matter; a broker's own columns do not. */
function describe({ detail, similar }: FileWarning, verbose: boolean): string {
  if (verbose || similar === undefined) return detail;
  const names = similar.map(({ heading, closest }) => `"${heading}" (did you mean "${closest}"?)`);
  return `No column is read from ${names.join(", ")}.`;
}
