import { CsvReader } from "./csv/csv-reader.ts";
import type { Day } from "./dates.ts";
import { EntryFileReader } from "./entry-file-reader.ts";
import type { FileMapping } from "./mapping/file-mapping.ts";
import { RejectedCsv, type RowReason } from "./rejected-csv.ts";
import { describeRowErrors } from "./rules/row-error-messages.ts";

/** Picks the rejected rows of a file. `push` and `end` return the text that is complete. */
export interface RejectedRowPicker {
  readonly count: number;
  push(bytes: Uint8Array): string;
  end(): string;
}

/** Picks the rejected rows of a file, which it reads again: a later row may reject an entry. @param mapping if mapped */
export function pickRejectedRows(
  asOf: Day,
  rejectedGroups: Uint8Array | null,
  mapping?: FileMapping,
): RejectedRowPicker {
  const csv = new RejectedCsv(mapping);
  const reader = new EntryFileReader(asOf, () => {}, {
    onHeader: (cells) => csv.start(cells),
    onRow: (record, line, entry, errors) => {
      const isRejected = rejectedGroups === null ? errors.length > 0 : rejectedGroups[entry] === 1;
      if (isRejected) csv.add(record, line, describeRowErrors(errors));
    },
  });
  return createPicker(reader, csv);
}

/** Picks the rows whose lines (header = 1) a report lists. It applies no rules: the report has decided. */
export function pickListedRows(
  reasonsByLine: ReadonlyMap<number, readonly RowReason[]>,
  mapping?: FileMapping,
): RejectedRowPicker {
  const csv = new RejectedCsv(mapping);
  let isHeader = true;
  const reader = new CsvReader((record, line) => {
    const reasons = reasonsByLine.get(line);
    if (isHeader) csv.start(record.cellTexts());
    else if (reasons !== undefined) csv.add(record, line, reasons);
    isHeader = false;
  });
  return createPicker(reader, csv);
}

const createPicker = (reader: Pick<CsvReader, "push" | "end">, csv: RejectedCsv): RejectedRowPicker => ({
  get count() {
    return csv.rowCount;
  },
  push(bytes) {
    reader.push(bytes);
    return csv.take();
  },
  end() {
    reader.end();
    return csv.take();
  },
});
