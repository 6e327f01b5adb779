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

/**
 * Finds amounts that are no IEEPA duty of their entered value, as when the two columns are swapped, a decimal point or the rows with
 * the value are missing, or the column of the duty has the rate. It compares accepted entries.
 */
export class ImplausibleAmounts {
  readonly #tooHigh = new LineList();
  #dutiedEntries = 0;
  #dutyCents = 0;
  #highestCents = 0;
  #valueCents = 0;
  #lowestValueCents = Number.MAX_SAFE_INTEGER;
  #isInDollars = true;

  add({ line, ieepaDutyCents: duty, enteredValueCents: value }: Entry): void {
    if (duty === 0) return;
    if (duty > value * MAX_RATE) this.#tooHigh.add(line);
    this.#dutiedEntries += 1;
    this.#dutyCents += duty;
    this.#valueCents += value;
    if (duty > this.#highestCents) this.#highestCents = duty;
    if (value < this.#lowestValueCents) this.#lowestValueCents = value;
    if (duty % 100 !== 0) this.#isInDollars = false;
  }

  /** Complete after the last entry. */
  fileWarnings(): FileWarning[] {
    const { count } = this.#tooHigh;
    if (count > 0) {
      const entries = formatCount(count, "entry has", "entries have");
      const detail = `${entries} more IEEPA duty than twice the entered value, on ${this.#tooHigh}. Look whether the two columns are swapped, a decimal point is missing, or the rows with the value were left out.`;
      return this.#tooHigh.warn("AMOUNTS_IMPLAUSIBLE", "warn", detail, { entries: count });
    }
    if (!this.#hasRates()) return [];
    const detail =
      "The IEEPA duties of the file are as low as rates, beside entered values of $1,000 or more. Give the duty in dollars.";
    return [{ code: "AMOUNTS_IMPLAUSIBLE", severity: "warn", detail, entries: this.#dutiedEntries }];
  }

  #hasRates(): boolean {
    if (this.#dutiedEntries === 0 || this.#lowestValueCents < MIN_VALUE_CENTS) return false;
    if (this.#highestCents <= MAX_FRACTION_CENTS) return true;
    return (
      this.#isInDollars &&
      this.#dutiedEntries >= MIN_PERCENTS &&
      this.#highestCents <= MAX_PERCENT_CENTS &&
      this.#dutyCents * 100 < this.#valueCents
    );
  }
}
