import { copyText } from "../csv/copy-text.ts";
import type { LocatedColumn } from "../header.ts";
import { describeRowErrors, type RawRowError, type Rejection } from "../rules/row-error-messages.ts";

/** The rejections that a report lists (diligence-model §3). The others are only counted. */
const MAX_REJECTIONS = 1_000;

const MAX_NUMBER_LENGTH = 40;

/** Collects the rejected entries in the order of the file. */
export class Rejections {
  readonly list: Rejection[] = [];
  count = 0;
  #columns: readonly LocatedColumn[] = [];

  /** Errors name the headings of these columns. */
  start(columns: readonly LocatedColumn[]): void {
    this.#columns = columns;
  }

  get isTruncated(): boolean {
    return this.count > this.list.length;
  }

  /** `entryNumber` is "" when the cell is blank. */
  add(line: number, entryNumber: string, errors: readonly RawRowError[]): void {
    this.count += 1;
    if (this.list.length === MAX_REJECTIONS) return;
    this.list.push({
      line,
      entryNumber: redactEntryNumber(entryNumber),
      errors: describeRowErrors(errors, this.#columns),
    });
  }
}

/** Masks nine digits, which may be a social security number without its dashes. */
function redactEntryNumber(entryNumber: string): string | null {
  if (entryNumber === "") return null;
  const redacted = entryNumber.replace(/^\d{5}(?=\d{4}$)/, "*****");
  return copyText(redacted.slice(0, MAX_NUMBER_LENGTH));
}

const MAX_CELL_LENGTH = 120;

/** Of one entry, so that one with a million bad rows fits into memory. */
const MAX_ERRORS_PER_ENTRY = 100;

/** The errors of the first 1,000 rejected groups; a report lists no more, and a rejected group stays rejected. */
export class GroupErrors {
  readonly #errorsByGroup = new Map<number, RawRowError[]>();
  #highestGroup = -1;

  add(group: number, errors: readonly RawRowError[]): void {
    const known = this.#errorsByGroup.get(group) ?? this.#startGroup(group);
    if (known === null) return;
    for (const error of errors) {
      if (known.length === MAX_ERRORS_PER_ENTRY) return;
      if (known.some(({ line, code }) => line === error.line && code === error.code)) continue;
      known.push({ ...error, cell: copyText(error.cell.slice(0, MAX_CELL_LENGTH)) });
    }
  }

  get(group: number): readonly RawRowError[] {
    return this.#errorsByGroup.get(group) ?? [];
  }

  #startGroup(group: number): RawRowError[] | null {
    if (this.#errorsByGroup.size === MAX_REJECTIONS) {
      if (group > this.#highestGroup) return null;
      this.#errorsByGroup.delete(this.#highestGroup);
      this.#highestGroup = Math.max(...this.#errorsByGroup.keys());
    }
    const errors: RawRowError[] = [];
    this.#errorsByGroup.set(group, errors);
    this.#highestGroup = Math.max(this.#highestGroup, group);
    return errors;
  }
}
