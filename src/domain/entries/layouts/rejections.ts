import { copyText } from "../csv/copy-text.ts";
import type { Rejection } from "../entry.ts";
import type { RawRowError } from "../rules/row.ts";
import { describeRowErrors } from "../rules/row-error-messages.ts";

/** The rejections that a report lists (diligence-model §3). The others are only counted. */
export const MAX_REJECTIONS = 1_000;

const MAX_NUMBER_LENGTH = 40;

/** Rejected entries in file order. */
export class Rejections {
  readonly list: Rejection[] = [];
  count = 0;

  get isTruncated(): boolean {
    return this.count > this.list.length;
  }

  /** `entryNumber` is "" when the cell is blank. */
  add(line: number, entryNumber: string, errors: readonly RawRowError[]): void {
    this.count += 1;
    if (this.list.length === MAX_REJECTIONS) return;
    this.list.push({ line, entryNumber: redactEntryNumber(entryNumber), errors: describeRowErrors(errors) });
  }
}

/** Masks nine digits, which may be a social security number without its dashes. */
function redactEntryNumber(entryNumber: string): string | null {
  if (entryNumber === "") return null;
  const redacted = entryNumber.replace(/^\d{5}(?=\d{4}$)/, "*****");
  return copyText(redacted.slice(0, MAX_NUMBER_LENGTH));
}
