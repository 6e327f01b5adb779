import { type BatchItem, summarize } from "./item.ts";
import type { BatchRow } from "./row.ts";

/** More lines than this would push the terminal's own content away. */
const MAX_SHOWN_NAMES = 8;

/** What a person sees of a batch while it runs: how far it is, and what is under way. */
export class ProgressLine {
  readonly #total: number;
  readonly #width: number;
  readonly #show: (text: string) => void;
  readonly #underWay = new Set<BatchRow>();
  #done: readonly BatchItem[] = [];

  /** @param width characters of a line */
  constructor(total: number, width: number, show: (text: string) => void) {
    this.#total = total;
    this.#width = width;
    this.#show = show;
  }

  /** A row is under way while the work lasts. */
  async track<T>(row: BatchRow, work: () => Promise<T>): Promise<T> {
    this.#underWay.add(row);
    this.#update();
    try {
      return await work();
    } finally {
      this.#underWay.delete(row);
      this.#update();
    }
  }

  setDone(done: readonly BatchItem[]): void {
    this.#done = done;
    this.#update();
  }

  #update(): void {
    const counts = summarize(this.#done);
    const names = [...this.#underWay].slice(0, MAX_SHOWN_NAMES).map(({ name }) => `    ${name}`);
    const lines = [`${this.#done.length} of ${this.#total}${counts && `: ${counts}`}`, ...names];
    // A spinner and a space stand before the first line; one that wraps cannot be taken back.
    this.#show(lines.map((line) => line.slice(0, Math.max(0, this.#width - 3))).join("\n"));
  }
}
