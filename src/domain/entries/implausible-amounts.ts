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

/** Fewer small duties in whole dollars may be a chance. */
const MIN_PERCENTS = 3;

/** In a column of rates, some duties may have been corrected. */
const MIN_SHARE_OF_RATES = 3 / 4;

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

  add({ line, ieepaDutyCents: duty, enteredValueCents: value, warnings }: Entry): void {
    if (warnings.includes("MPF_ABOVE_MAXIMUM")) this.#highFees.add(line);
    if (duty === 0) return;
    if (duty > value * MAX_RATE) this.#tooHigh.add(line);
    if (value < MIN_VALUE_CENTS) return;
    this.#judged += 1;
    if (duty <= MAX_FRACTION_CENTS) this.#fractions += 1;
    if (duty > MAX_PERCENT_CENTS || duty % 100 !== 0) return;
    this.#percents += 1;
    this.#percentDutyCents += duty;
    this.#percentValueCents += value;
  }

  /** Complete after the last entry. */
  fileWarnings(): FileWarning[] {
    return [...this.#warnAboutDuties(), ...this.#warnAboutFees()];
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
    if (rates === 0) return [];
    const detail = `The IEEPA duties of ${formatCount(rates, "entry is", "entries are")} as low as rates, beside entered values of $1,000 or more. Give the duty in dollars.`;
    return [{ code: "AMOUNTS_IMPLAUSIBLE", severity: "warn", detail, entries: rates }];
  }

  /** 0 unless most duties are rates. */
  #countRates(): number {
    const least = this.#judged * MIN_SHARE_OF_RATES;
    if (this.#fractions > 0 && this.#fractions >= least) return this.#fractions;
    const areLow = this.#percentDutyCents * 100 < this.#percentValueCents;
    return areLow && this.#percents >= Math.max(least, MIN_PERCENTS) ? this.#percents : 0;
  }
}
