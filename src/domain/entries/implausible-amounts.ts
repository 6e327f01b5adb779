import { formatCount } from "../numbers.ts";
import type { Entry } from "./entry.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";

/** No IEEPA rate is above 200 %, also if an entry has several. */
const MAX_RATE = 2;

/** A rate of 200 %, written as 2.00 in a column of dollars. */
const MAX_FRACTION_CENTS = MAX_RATE * 100;

/** The same, written as 200. */
const MAX_PERCENT_CENTS = MAX_RATE * 10_000;

/** A duty as low as a rate is possible beside a lower value. */
const MIN_VALUE_CENTS = 100_000;

/** Fewer low duties may be a chance. */
const MIN_PERCENTS = 3;

/** In a column of rates, some duties may have been corrected. */
const MIN_SHARE_OF_RATES = 3 / 4;

/** In a column of duties with cents, so many small ones without cents are no duties. */
const MIN_SHARE_BESIDE_CENTS = 1 / 5;

/** No rate is so low, and in all entries not the part of the goods on which it is due. */
const MIN_RATE = 1 / 1_000;

/** Values that differ by less may have the same duty of a part of the goods. */
const MIN_RATIO = 1.1;

/** Fewer equal duties, or a smaller share, may be a chance. */
const MIN_EQUAL_DUTIES = 4;
const MIN_SHARE_OF_EQUAL_DUTIES = 1 / 5;

/**
 * Finds amounts that are no IEEPA duty of their entered value, as when the two columns are swapped, a decimal point or the rows with
 * the value are missing, or the column of the duty has the rate; and fees that no entry has. It compares accepted entries.
 */
export class ImplausibleAmounts {
  readonly #tooHigh = new LineList();
  readonly #highFees = new LineList();
  /** Entries with a duty, and a value at which it is not as low as a rate. */
  #judged = 0;
  #fractions = 0;
  #percents = 0;
  #percentDutyCents = 0;
  #percentValueCents = 0;
  #withCents = 0;
  #dutyCents = 0;
  #valueCents = 0;
  /** Entries with the duty of the one before, and another value. */
  #equalDuties = 0;
  #previous = { duty: 0, value: 0 };

  add({ line, ieepaDutyCents: duty, enteredValueCents: value, warnings }: Entry): void {
    if (warnings.includes("MPF_ABOVE_MAXIMUM")) this.#highFees.add(line);
    if (duty === 0) return;
    if (duty > value * MAX_RATE) this.#tooHigh.add(line);
    if (value < MIN_VALUE_CENTS) return;
    this.#judged += 1;
    this.#dutyCents += duty;
    this.#valueCents += value;
    if (duty % 100 !== 0) this.#withCents += 1;
    if (duty === this.#previous.duty && isOther(value, this.#previous.value)) this.#equalDuties += 1;
    this.#previous = { duty, value };
    if (duty <= MAX_FRACTION_CENTS) this.#fractions += 1;
    if (duty > MAX_PERCENT_CENTS || duty % 100 !== 0) return;
    this.#percents += 1;
    this.#percentDutyCents += duty;
    this.#percentValueCents += value;
  }

  /** Complete after the last entry. */
  fileWarnings(): FileWarning[] {
    const duties = this.#warnAboutDuties();
    // Rates are equal in many entries.
    const others = duties.length > 0 ? duties : this.#warnAboutEqualDuties();
    return [...others, ...this.#warnAboutFees()];
  }

  #warnAboutEqualDuties(): FileWarning[] {
    const entries = this.#equalDuties;
    if (entries < Math.max(MIN_EQUAL_DUTIES, this.#judged * MIN_SHARE_OF_EQUAL_DUTIES)) return [];
    const have = formatCount(entries, "entry has", "entries have");
    const detail = `${have} the IEEPA duty of the entry before, to the cent, and another entered value. Look whether the column was filled down.`;
    return [{ code: "AMOUNTS_IMPLAUSIBLE", severity: "warn", detail, entries }];
  }

  #warnAboutFees(): FileWarning[] {
    const { count } = this.#highFees;
    const entries = formatCount(count, "entry has", "entries have");
    const detail = `${entries} a merchandise processing fee above $1,000, on ${this.#highFees}, and by law an entry has at most $651.50. Look whether amounts are in cents, or cells stand in another column.`;
    return this.#highFees.warn("AMOUNTS_IMPLAUSIBLE", "warn", detail, { entries: count });
  }

  #warnAboutDuties(): FileWarning[] {
    const { count } = this.#tooHigh;
    if (count > 0) {
      const entries = formatCount(count, "entry has", "entries have");
      const detail = `${entries} more IEEPA duty than twice the entered value, on ${this.#tooHigh}. Look whether the two columns are swapped, a decimal point is missing, or the rows with the value were left out.`;
      return this.#tooHigh.warn("AMOUNTS_IMPLAUSIBLE", "warn", detail, { entries: count });
    }
    const rates = this.#countRates();
    const isTooLow = this.#judged >= MIN_PERCENTS && this.#dutyCents < this.#valueCents * MIN_RATE;
    if (rates === 0 && !isTooLow) return [];
    const [low, what] =
      rates > 0 ? [rates, "as low as rates"] : [this.#judged, "in all below a thousandth of the values"];
    const detail = `The IEEPA duties of ${formatCount(low, "entry is", "entries are")} ${what}, beside entered values of $1,000 or more. Give the duty in dollars.`;
    return [{ code: "AMOUNTS_IMPLAUSIBLE", severity: "warn", detail, entries: low }];
  }

  /** 0 unless most duties are rates. */
  #countRates(): number {
    const least = this.#judged * MIN_SHARE_OF_RATES;
    if (this.#fractions > 0 && this.#fractions >= least) return this.#fractions;
    const areLow = this.#percentDutyCents * 100 < this.#percentValueCents;
    const haveCents = this.#withCents * 2 > this.#judged - this.#percents;
    const leastPercents = haveCents ? this.#judged * MIN_SHARE_BESIDE_CENTS : least;
    return areLow && this.#percents >= Math.max(leastPercents, MIN_PERCENTS) ? this.#percents : 0;
  }
}

const isOther = (value: number, previous: number): boolean =>
  value > previous * MIN_RATIO || previous > value * MIN_RATIO;
