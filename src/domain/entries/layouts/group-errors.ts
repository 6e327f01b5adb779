import { copyText } from "../csv/copy-text.ts";
import type { RawRowError } from "../rules/row.ts";
import { MAX_REJECTIONS } from "./rejections.ts";

/** Enough for the text of an error. */
const MAX_CELL_LENGTH = 120;

/**
 * The errors of the first 1,000 rejected groups, because a report lists no more. A rejected group stays rejected, so the
 * errors of a group with 1,000 rejected ones before it are never needed.
 */
export class GroupErrors {
  readonly #errorsByGroup = new Map<number, RawRowError[]>();
  #highestGroup = -1;

  add(group: number, errors: readonly RawRowError[]): void {
    const known = this.#errorsByGroup.get(group) ?? this.#startGroup(group);
    if (known === null) return;
    for (const error of errors) {
      if (known.some((other) => other.code === error.code)) continue;
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
