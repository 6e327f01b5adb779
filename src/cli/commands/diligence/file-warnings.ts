import type { FileWarning, FileWarningCode } from "../../../domain/entries/file-warnings.ts";
import { type ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { groupBy } from "../../../domain/group-by.ts";
import type { Context } from "../../context.ts";
import { printMessage } from "../../output/stderr.ts";

const URGENT_CODES: readonly FileWarningCode[] = [
  "AMOUNTS_IMPLAUSIBLE",
  "CELLS_SHIFTED",
  "COLUMN_TWICE",
  "DATE_ORDER_UNPROVEN",
  "ENTRIES_IMPLAUSIBLE",
  "IEEPA_ROWS_ABSENT",
  "LINE_DUTY_REPEATED",
  "LIQUIDATION_COLUMNS_ABSENT",
  "ROWS_REPEATED",
  "TARIFF_ROWS_ABSENT",
];

/** Whether a warning may mean that the claim is wrong. A second heading, or one that is not read, may decide a route. */
const isUrgent = ({ code, columns, important, severity, similar }: FileWarning): boolean =>
  severity === "stop" ||
  URGENT_CODES.includes(code) ||
  (code === "NO_FINAL_LINE_END" && columns !== undefined) ||
  important !== undefined ||
  similar !== undefined;

/**
 * Prints the warnings about an entry file on stderr. Only with `-v`, those that cannot change the claim, and on a terminal
 * more than one of a kind.
 */
export function warnAboutFile(
  context: Context,
  displayName: string,
  warnings: readonly FileWarning[],
  verbose = false,
): void {
  const shown = verbose ? warnings : warnings.filter(isUrgent);
  const isBrief = context.stderr.isTerminal && !verbose;
  for (const [code, group] of groupBy(shown, ({ code }) => code)) {
    const printed = isBrief ? group.slice(0, 1) : group;
    const left = group.length - printed.length;
    const more = left > 0 ? `, ${left} more with -v` : "";
    for (const warning of printed)
      printMessage(context, `warning: ${displayName}: ${describe(warning, verbose)} (${code}${more})`);
  }
}

/** Unknown headings that are close to a known one, or may decide a route, matter; a broker's own columns do not. */
function describe({ detail, important = [], similar = [] }: FileWarning, verbose: boolean): string {
  const names = new Map(important.map((heading) => [heading, `"${heading}"`]));
  for (const { heading, closest } of similar) names.set(heading, `"${heading}" (did you mean "${closest}"?)`);
  return verbose || names.size === 0 ? detail : `No column is read from ${[...names.values()].join(", ")}.`;
}

/** The failure of `check` for a file that `submit` would not send; the warnings above it say why. */
export function findStop(displayName: string, warnings: readonly FileWarning[]): ClaimsError | undefined {
  const codes = warnings.flatMap(({ code, severity }) => (severity === "stop" ? [code] : []));
  if (codes.length === 0) return undefined;
  return rejectedError(
    "check_failed",
    `${displayName} may be read wrong (${[...new Set(codes)].join(", ")})`,
    {
      hint: "correct the file as the lines above say; `submit --check off` sends it as it is",
    },
  );
}
