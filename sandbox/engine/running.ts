import type { ScheduledTask } from "../store/agenda.ts";

/** Whether a row is of interest. */
export type Concern = (row: ScheduledTask) => boolean;

/** The rows of an agenda that have begun and not ended. */
export class Running {
  readonly #rows = new Map<Promise<void>, ScheduledTask>();

  /** @param work never rejects */
  add(row: ScheduledTask, work: Promise<void>): void {
    this.#rows.set(work, row);
    void work.finally(() => this.#rows.delete(work));
  }

  rows(): ScheduledTask[] {
    return [...this.#rows.values()];
  }

  worksOf(concerns: Concern): Promise<void>[] {
    return [...this.#rows].flatMap(([work, row]) => (concerns(row) ? [work] : []));
  }

  /** Resolves when none of these is left; what begins meanwhile counts. */
  async settled(concerns: Concern): Promise<void> {
    for (;;) {
      const works = this.worksOf(concerns);
      if (works.length === 0) return;
      await Promise.all(works);
    }
  }
}
