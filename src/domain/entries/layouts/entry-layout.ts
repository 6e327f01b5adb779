import { columnBit } from "../columns.ts";
import type { CsvRecord } from "../csv/csv-record.ts";
import type { Day } from "../dates.ts";
import type { Entry } from "../entry.ts";
import type { ExtraColumn, Header } from "../header.ts";
import { encodeEntryNumber } from "../rules/entry-number.ts";
import { maskSocialSecurityNumbers } from "../rules/importer-number.ts";
import { RowReader } from "../rules/row-reader.ts";
import { IntegerSet } from "./integer-set.ts";
import type { Rejections } from "./rejections.ts";

const NO_EXTRA: Entry["extra"] = Object.freeze({});
const ENTRY_NUMBER_BIT = columnBit("entry_number");

/** The `entry` layout: one row per entry. It keeps only the numbers of the entries. */
export class EntryLayout {
  readonly #reader: RowReader;
  readonly #extras: readonly ExtraColumn[];
  readonly #rejections: Rejections;
  readonly #seenNumbers = new IntegerSet();

  constructor(header: Header, asOf: Day, rejections: Rejections) {
    this.#reader = new RowReader(header, asOf);
    this.#extras = header.extras;
    this.#rejections = rejections;
  }

  /** Returns null for a rejected row. */
  read(record: CsvRecord, line: number): Entry | null {
    const row = this.#reader.read(record, line);
    const entryNumber = row.entry.entryNumber ?? "";
    // Only a valid number can be a duplicate: an entry number has one error at most.
    const isValid = (row.parsedColumns & ENTRY_NUMBER_BIT) !== 0;
    if (isValid && !this.#seenNumbers.add(encodeEntryNumber(entryNumber))) {
      row.addError("ENTRY_NUMBER_DUPLICATE", "entry_number", entryNumber);
    }
    if (row.errors.length === 0) return row.completeEntry(this.#readExtra(record));
    this.#rejections.add(line, entryNumber, row.errors);
    return null;
  }

  #readExtra(record: CsvRecord): Entry["extra"] {
    if (this.#extras.length === 0) return NO_EXTRA;
    // Object.fromEntries also accepts __proto__ as a header.
    return Object.fromEntries(
      this.#extras.map(({ name, index }) => [name, maskSocialSecurityNumbers(record.cellText(index))]),
    );
  }
}
