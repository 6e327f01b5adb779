import type { Day } from "./dates.ts";
import { EntryFileReader } from "./entry-file-reader.ts";
import type { FileMapping } from "./mapping/file-mapping.ts";
import { RejectedCsv } from "./rejected-csv.ts";
import { describeRowErrors } from "./rules/row-error-messages.ts";

export interface RejectedEntries {
  readonly asOf: Day;
  /** See `EntryFileReader`. */
  readonly rejectedGroups: Uint8Array | null;
  /** If the file was mapped. */
  readonly mapping: FileMapping | undefined;
}

/** Picks the rejected rows of a file, which it reads again: a later row may reject an entry. */
export class RejectedRowPicker {
  readonly #csv: RejectedCsv;
  readonly #reader: EntryFileReader;

  constructor({ asOf, rejectedGroups, mapping }: RejectedEntries) {
    const csv = new RejectedCsv(mapping);
    this.#csv = csv;
    this.#reader = new EntryFileReader(asOf, () => {}, {
      onHeader: (cells) => csv.start(cells),
      onRow: (record, line, entry, errors) => {
        const isRejected = rejectedGroups === null ? errors.length > 0 : rejectedGroups[entry] === 1;
        if (isRejected) csv.add(record, line, describeRowErrors(errors));
      },
    });
  }

  get count(): number {
    return this.#csv.rowCount;
  }

  /** Returns the text that is complete, as `end` does. */
  push(bytes: Uint8Array): string {
    this.#reader.push(bytes);
    return this.#csv.take();
  }

  end(): string {
    this.#reader.end();
    return this.#csv.take();
  }
}
