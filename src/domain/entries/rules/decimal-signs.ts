import { formatCount } from "../../numbers.ts";
import type { CsvCell } from "../csv/csv-record.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import type { LocatedColumn } from "../header.ts";

/** Amounts that are refused, and can only have a decimal comma. */
const DECIMAL_COMMA = /^(?:[\d. \u00a0\u202f]*\d,\d{1,2}|(?:0*|\d{4,}|\d{1,3}(?:\.\d{3})+),\d+)$/;

/** Amounts that are read as thousands, and may have three decimals. */
const THOUSANDS = /^\d{1,3},\d{3}$/;

const DOLLAR_AT_EDGE = /^\$[ \u00a0\u202f]*|[ \u00a0\u202f]*\$$/;

const POINT = 0x2e;

/** In a column with decimal points, fewer commas than one for so many points are typing errors. */
const MIN_SHARE_OF_POINTS = 1 / 100;

/** What the cells of one amount column show about its decimal sign (diligence-model §1). */
export class DecimalSign {
  points = 0;
  readonly commas = new LineList();
  readonly ambiguous = new LineList();

  /** Counts a cell of digits and, if any, a point before the last one or two. */
  countPlain({ units, end }: CsvCell): void {
    if (units[end - 3] === POINT || units[end - 2] === POINT) this.points += 1;
  }

  /** Counts a cell with groups or a dollar sign. */
  countFormatted(cell: CsvCell, line: number): void {
    this.countPlain(cell);
    if (THOUSANDS.test(cell.toString().replace(DOLLAR_AT_EDGE, ""))) this.ambiguous.add(line);
  }

  countRefused(cell: CsvCell, line: number): void {
    if (DECIMAL_COMMA.test(cell.toString().replace(DOLLAR_AT_EDGE, ""))) this.commas.add(line);
  }

  get isComma(): boolean {
    return this.commas.count > 0 && this.commas.count >= this.points * MIN_SHARE_OF_POINTS;
  }
}

/** About the amount columns of a file, after its last row. */
export function warnAboutDecimalSigns(
  signs: ReadonlyMap<string, DecimalSign>,
  columns: readonly LocatedColumn[],
): FileWarning[] {
  const proofs = [...signs.values()].filter(({ isComma }) => isComma);
  if (proofs.length === 0) return [];
  const proofLine = Math.min(...proofs.flatMap(({ commas }) => commas.first));
  return columns.flatMap(({ name, heading }): FileWarning[] => {
    const { ambiguous, isComma = false, points = 0 } = signs.get(name) ?? {};
    const [ambiguousLine] = ambiguous?.first ?? [];
    // A column without a proof follows the others.
    if (ambiguous === undefined || ambiguousLine === undefined || !(isComma || points === 0)) return [];
    const cells = formatCount(ambiguous.count, "cell");
    const detail = `Line ${proofLine} has an amount with a decimal comma. Read as thousands, with three digits after a comma: ${cells} of "${heading}", from line ${ambiguousLine}. Save the file with decimal points.`;
    const about = { columns: [heading], rows: ambiguous.count, lines: [proofLine, ambiguousLine] };
    return [{ code: "DECIMAL_COMMA_MIXED", severity: "stop", detail, ...about }];
  });
}
