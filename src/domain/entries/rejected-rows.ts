import type { Day } from "./dates.ts";
import { EntryFileReader } from "./entry-file-reader.ts";
import { RejectedRowFormat } from "./rejected-row-format.ts";
import { describeRowErrors } from "./rules/row-error-messages.ts";

/**
 * Picks the rejected rows of an assessed file, as CSV for the importer. It reads the file again, because an entry of the
 * es003 layout may be rejected for a row that comes later. All rows of a rejected entry are picked.
 */
export class RejectedRows {
  /** Rows picked so far. */
  count = 0;
  readonly #reader: EntryFileReader;
  #format: RejectedRowFormat | null = null;
  #text: string[] = [];

  /** @param rejectedGroups see `EntryFileReader` */
  constructor(asOf: Day, rejectedGroups: Uint8Array | null) {
    this.#reader = new EntryFileReader(asOf, () => {}, {
      onHeader: (cells) => {
        this.#format = new RejectedRowFormat(cells);
        this.#text.push(this.#format.header());
      },
      onRow: (record, line, entry, errors) => {
        const isRejected = rejectedGroups === null ? errors.length > 0 : rejectedGroups[entry] === 1;
        if (!isRejected || this.#format === null) return;
        this.count += 1;
        this.#text.push(this.#format.row(record, line, describeRowErrors(errors)));
      },
    });
  }

  /** Returns the text that the bytes complete. */
  push(bytes: Uint8Array): string {
    this.#reader.push(bytes);
    return this.#takeText();
  }

  end(): string {
    this.#reader.end();
    return this.#takeText();
  }

  #takeText(): string {
    const text = this.#text.join("");
    this.#text = [];
    return text;
  }
}
