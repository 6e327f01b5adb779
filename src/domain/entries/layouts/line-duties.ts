import { formatCount } from "../../numbers.ts";
import { isDutyOfLine } from "../columns.ts";
import { type FileWarning, LineList } from "../file-warnings.ts";
import type { Header } from "../header.ts";
import { AMOUNT_INDEX, type Row } from "../rules/row.ts";
import { isChapter99, isIeepa } from "../rules/tariff-number.ts";

/** The IEEPA numbers that have one rate at a time. Some of 9903.02 have one that includes the base duty. */
const FIXED_RATE = "990301";

/** Below this value, a duty in whole dollars shows no rate. */
const MIN_GOODS_CENTS = 10_000;

/** Values and rates that differ by less may be equal but for rounding. */
const MIN_RATIO = 1.1;

/** The base duty and two IEEPA duties are rarely equal, and not at a rate that is lower elsewhere. */
const MIN_EVEN_ROWS = 3;

/** Base and IEEPA duty of one product may be equal. */
const MIN_EVEN_LINES = 3;

/** So many equal duties of different values are no chance. */
const MIN_EQUAL_DUTIES = 3;

/** What is compared of a line of an entry. It is reused. */
class EntryLine {
  group = -1;
  entryLine: Row["entryLine"] = null;
  count = 0;
  firstCents = 0;
  /** Whether all rows have the same duty. */
  isEven = true;
  /** Of the row outside chapter 99; 0 if there are several, or it is of chapter 98: then a part may be free of duty. */
  goodsCents = 0;
  hasGoods = false;
  /** Its first IEEPA number with a duty, "" if there is none. */
  ieepaNumber = "";
  ieepaCents = 0;
  /** The line of the file with that number. */
  ieepaLine = 0;

  start(group: number, { entryLine }: Row): void {
    this.group = group;
    this.entryLine = entryLine;
    this.count = 0;
    this.isEven = true;
    this.goodsCents = 0;
    this.hasGoods = false;
    this.ieepaNumber = "";
  }
}

/**
 * Finds duties of whole lines or entries, which stand in each of their tariff rows and are added up (diligence-model §1,
 * `LINE_DUTY_REPEATED`). It compares neighbours: the report has the rows of a line together.
 */
export class LineDuties {
  readonly #heading: string;
  readonly #repeatedInLine = new LineList();
  #hasUnevenLine = false;
  #evenLines = 0;
  /** By number, the lowest and highest rate of all lines, and the highest one of lines whose rows have the same duty. */
  readonly #lowestRates = new Map<string, number>();
  readonly #highestRates = new Map<string, number>();
  readonly #highestEvenRates = new Map<string, number>();
  readonly #repeatedInEntry = new LineList();
  /** Whether the duty of some number follows the goods value. */
  #hasDutyByValue = false;
  #current = new EntryLine();
  #previous = new EntryLine();

  /** Without line numbers, the row outside chapter 99 is taken for the last one of its line. */
  readonly #hasLineNumbers: boolean;

  constructor({ columns }: Header) {
    this.#hasLineNumbers = columns.some(({ name }) => name === "entry_summary_line_number");
    this.#heading = columns.find(({ name }) => name === "line_duty")?.heading ?? "";
  }

  add(group: number, hts: string, row: Row): void {
    const isSameEntry = group === this.#current.group;
    const isNextLine = !this.#hasLineNumbers && this.#current.hasGoods;
    if (!isSameEntry || row.entryLine !== this.#current.entryLine || isNextLine) {
      this.#endLine();
      if (isSameEntry) [this.#previous, this.#current] = [this.#current, this.#previous];
      this.#current.start(group, row);
    }
    if (row.entryLine !== null || !this.#hasLineNumbers) this.#addToLine(this.#current, hts, row);
  }

  #addToLine(line: EntryLine, hts: string, row: Row): void {
    const cents = row.amount(AMOUNT_INDEX.line_duty);
    line.count += 1;
    if (line.count === 1) line.firstCents = cents;
    else if (cents !== line.firstCents) line.isEven = false;
    else if (cents > 0) this.#repeatedInLine.add(row.line);
    if (!isChapter99(hts)) {
      const isWhole = !line.hasGoods && !hts.startsWith("98");
      line.goodsCents = isWhole ? row.amount(AMOUNT_INDEX.entered_value) : 0;
      line.hasGoods = true;
    } else if (line.ieepaNumber === "" && cents > 0 && isIeepa(hts)) {
      line.ieepaNumber = hts;
      line.ieepaCents = cents;
      line.ieepaLine = row.line;
    }
  }

  #endLine(): void {
    const line = this.#current;
    if (!line.isEven) this.#hasUnevenLine = true;
    else if (line.count > 1 && line.firstCents > 0 && line.hasGoods) this.#evenLines += 1;
    if (line.ieepaNumber === "" || line.goodsCents < MIN_GOODS_CENTS) return;
    if (line.ieepaNumber.startsWith(FIXED_RATE) && (this.#hasLineNumbers || line.isEven))
      this.#noteRate(line);
    if (!this.#hasLineNumbers) return;
    if (line.group === this.#previous.group && line.ieepaNumber === this.#previous.ieepaNumber)
      this.#compare(line, this.#previous);
  }

  #noteRate({ ieepaNumber, ieepaCents, goodsCents, isEven, count }: EntryLine): void {
    const rate = ieepaCents / goodsCents;
    if (rate < (this.#lowestRates.get(ieepaNumber) ?? Infinity)) this.#lowestRates.set(ieepaNumber, rate);
    noteHighest(this.#highestRates, ieepaNumber, rate);
    if (isEven && count >= MIN_EVEN_ROWS) noteHighest(this.#highestEvenRates, ieepaNumber, rate);
  }

  #compare(line: EntryLine, previous: EntryLine): void {
    const ratio = line.goodsCents / previous.goodsCents;
    if (previous.goodsCents < MIN_GOODS_CENTS || (ratio < MIN_RATIO && ratio > 1 / MIN_RATIO)) return;
    if (line.ieepaCents === previous.ieepaCents) this.#repeatedInEntry.add(line.ieepaLine);
    else this.#hasDutyByValue = true;
  }

  fileWarnings(): FileWarning[] {
    this.#endLine();
    this.#current.ieepaNumber = "";
    if (!this.#hasDutyByValue && this.#repeatedInEntry.count >= MIN_EQUAL_DUTIES)
      return this.#warn(
        this.#repeatedInEntry,
        "Lines with different goods values have the same duty of a tariff number",
        "the duty of the whole entry or a rate",
      );
    const isOfLines = isDutyOfLine(this.#heading) && !this.#hasUnevenLine;
    const areEven = !this.#hasUnevenLine && this.#evenLines >= MIN_EVEN_LINES;
    // A rate that is higher where all rows have the same duty is that of all of them.
    const hasTwoRates =
      this.#areAboveLowest(this.#highestEvenRates) || (areEven && this.#areAboveLowest(this.#highestRates));
    if (!isOfLines && !hasTwoRates && !areEven) return [];
    const what = "Each tariff row of a line has the same duty";
    const severity = isOfLines || hasTwoRates ? "stop" : "warn";
    return this.#warn(this.#repeatedInLine, what, "the duty of the whole line", severity);
  }

  #areAboveLowest(rates: ReadonlyMap<string, number>): boolean {
    return [...rates].some(([number, rate]) => rate > (this.#lowestRates.get(number) ?? rate) * MIN_RATIO);
  }

  #warn(
    lines: LineList,
    what: string,
    whole: string,
    severity: FileWarning["severity"] = "stop",
  ): FileWarning[] {
    const rows = lines.count;
    const detail = `${what} under "${this.#heading}", as ${whole}: ${formatCount(rows, "row repeats", "rows repeat")} it, on ${lines}, and it is added up. Export Line Tariff Duty Amount, as the duty of each tariff row.${severity === "warn" ? " If two tariffs of one rate were due, it is right." : ""}`;
    return lines.warn("LINE_DUTY_REPEATED", severity, detail, { columns: [this.#heading], rows });
  }
}

function noteHighest(rates: Map<string, number>, number: string, rate: number): void {
  rates.set(number, Math.max(rate, rates.get(number) ?? 0));
}
