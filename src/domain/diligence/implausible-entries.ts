import type { FileWarning } from "../entries/file-warnings.ts";
import { isListedIeepa } from "../entries/rules/tariff-number.ts";
import { formatCount } from "../numbers.ts";
import type { ClassifiedEntry } from "./entry-classifier.ts";

interface Sign {
  isIn(entry: ClassifiedEntry): boolean;
  /** What the entries have, and what to look for. */
  readonly meaning: string;
}

/** What a single entry may have for a reason of its own, and many entries only by a fault of the file. */
const SIGNS: readonly Sign[] = [
  {
    isIn: ({ entry }) => entry.warnings.includes("DUTY_ABOVE_TOTAL"),
    meaning: "an IEEPA duty above the total. Look whether a column is the wrong one, or in another unit",
  },
  {
    isIn: ({ entry }) => entry.warnings.includes("SUMMARY_DATE_IMPLAUSIBLE"),
    meaning:
      "a summary date before the entry date or more than 60 days after it. Look whether day and month are swapped in one of the columns, or the columns with each other, or a date was filled down",
  },
  {
    isIn: ({ classification, entry }) =>
      classification === "outside_ieepa_window" && entry.ieepaDutyCents > 0,
    meaning:
      "an IEEPA duty and an entry date on which none was due. Look whether day and month are swapped, or the years are wrong, as in a spreadsheet that counts days from 1904 on",
  },
  {
    isIn: ({ entry: { chapter99Numbers, ieepaDutyCents } }) =>
      ieepaDutyCents > 0 && chapter99Numbers.length > 0 && !chapter99Numbers.some(isListedIeepa),
    meaning:
      "an IEEPA duty and a list of chapter 99 numbers without one of IEEPA. Look whether the duty is that of another tariff",
  },
  {
    isIn: ({ entry }) => entry.protestStatus !== null && entry.liquidationStatus === "NOT_LIQUIDATED",
    meaning:
      "a protest status and no liquidation that could be protested. Look whether a column was filled down, or sorted without the others",
  },
];

/** One of so many entries is no chance. */
const ONE_OF = 5;

/** Finds signs that many of the accepted entries have, so that columns are mixed up, or dates are read wrong. */
export class ImplausibleEntries {
  readonly #counts = SIGNS.map(() => 0);
  #accepted = 0;

  add(entry: ClassifiedEntry): void {
    this.#accepted += 1;
    for (const [index, sign] of SIGNS.entries())
      if (sign.isIn(entry)) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** Complete after the last entry. */
  fileWarnings(): FileWarning[] {
    return SIGNS.flatMap(({ meaning }, index): FileWarning[] => {
      const entries = this.#counts[index] ?? 0;
      const isMany = entries * ONE_OF >= this.#accepted && (entries > 1 || this.#accepted === 1);
      if (entries === 0 || !isMany) return [];
      const detail = `${formatCount(entries, "entry has", "entries have")} ${meaning}.`;
      return [{ code: "ENTRIES_IMPLAUSIBLE", severity: "warn", detail, entries }];
    });
  }
}
