import { type BatchItem, type BatchStatus, formatCounts } from "./item.ts";
import type { BatchRow } from "./row.ts";

/** More lines would scroll the terminal. */
const MAX_SHOWN_NAMES = 8;

export class ProgressLine {
  readonly #total: number;
  readonly #width: number;
  readonly #show: (text: string) => void;
  readonly #inFlight = new Set<BatchRow>();
  /** Counted item by item: a batch may have 100,000 rows. */
  readonly #counts = new Map<BatchStatus, number>();
  #done = 0;

  /** @param width characters of a line */
  constructor(total: number, width: number, show: (text: string) => void) {
    this.#total = total;
    this.#width = width;
    this.#show = show;
  }

  async track<T>(row: BatchRow, work: () => Promise<T>): Promise<T> {
    this.#inFlight.add(row);
    this.#update();
    try {
      return await work();
    } finally {
      this.#inFlight.delete(row);
      this.#update();
    }
  }

  addDone({ status }: Pick<BatchItem, "status">): void {
    this.#done += 1;
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
    this.#update();
  }

  #update(): void {
    const counts = formatCounts(this.#counts);
    const names = [...this.#inFlight].slice(0, MAX_SHOWN_NAMES).map(({ name }) => `    ${name}`);
    const lines = [`${this.#done} of ${this.#total}${counts && `: ${counts}`}`, ...names];
    // The spinner needs two columns. A line that wraps cannot be erased.
    this.#show(lines.map((line) => line.slice(0, Math.max(0, this.#width - 3))).join("\n"));
  }
}
