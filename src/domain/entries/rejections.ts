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
    const number = entryNumber === "" ? null : ownText(entryNumber.slice(0, MAX_NUMBER_LENGTH));
    this.list.push({ line, entryNumber: number, errors: describeFaults(faults) });
  }
}
