import type { Rejection } from "./entry.ts";
import { describeFaults } from "./fault-texts.ts";
import { ownText } from "./own-text.ts";
import type { RowFault } from "./row.ts";

/** What a report lists (diligence-model §3); the others are only counted. */
export const MAX_REJECTIONS = 1_000;

const MAX_NUMBER_LENGTH = 40;

/** Rejected entries in file order. */
export class Rejections {
  readonly list: Rejection[] = [];
  count = 0;

  get truncated(): boolean {
    return this.count > this.list.length;
  }

  /** `entryNumber` is "" for a blank one. */
  add(line: number, entryNumber: string, faults: readonly RowFault[]): void {
    this.count += 1;
    if (this.list.length === MAX_REJECTIONS) return;
    this.list.push({ line, entryNumber: shownNumber(entryNumber), errors: describeFaults(faults) });
  }
}

/** Nine digits in the column of entry numbers may be a social security number that lost its dashes. */
function shownNumber(entryNumber: string): string | null {
  if (entryNumber === "") return null;
  const shown = entryNumber.replace(/^\d{5}(?=\d{4}$)/, "*****");
  return ownText(shown.slice(0, MAX_NUMBER_LENGTH));
}
