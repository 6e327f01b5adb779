import { ownText } from "./own-text.ts";
import { MAX_REJECTIONS } from "./rejections.ts";
import type { RowFault } from "./row.ts";

/** Enough of a cell for a fault's text. */
const MAX_CELL = 120;

/**
 * The faults of rejected groups, of which a report lists the first 1,000: only those are kept. A rejected group stays
 * rejected, so one that has 1,000 rejected ones before it is out for good.
 */
export class GroupFaults {
  readonly #kept = new Map<number, RowFault[]>();
  #highest = -1;

  add(group: number, faults: readonly RowFault[]): void {
    const known = this.#kept.get(group) ?? this.#admit(group);
    if (known === null) return;
    for (const fault of faults) {
      if (known.some((other) => other.code === fault.code)) continue;
      known.push({ ...fault, cell: ownText(fault.cell.slice(0, MAX_CELL)) });
    }
  }

  of(group: number): readonly RowFault[] {
    return this.#kept.get(group) ?? [];
  }

  #admit(group: number): RowFault[] | null {
    if (this.#kept.size === MAX_REJECTIONS) {
      if (group > this.#highest) return null;
      this.#kept.delete(this.#highest);
      this.#highest = Math.max(...this.#kept.keys());
    }
    const faults: RowFault[] = [];
    this.#kept.set(group, faults);
    this.#highest = Math.max(this.#highest, group);
    return faults;
  }
}
