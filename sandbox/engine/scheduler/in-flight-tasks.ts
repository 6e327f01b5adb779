import type { ScheduledTask } from "../../store/agenda.ts";

/** Whether a row is of interest. */
export type TaskFilter = (row: ScheduledTask) => boolean;

/** The rows of an agenda that have begun and not ended. */
export class InFlightTasks {
  readonly #tasks = new Map<Promise<void>, ScheduledTask>();

  /** @param work never rejects */
  add(row: ScheduledTask, work: Promise<void>): void {
    this.#tasks.set(work, row);
    void work.finally(() => this.#tasks.delete(work));
  }

  tasks(): ScheduledTask[] {
    return [...this.#tasks.values()];
  }

  promisesOf(concerns: TaskFilter): Promise<void>[] {
    return [...this.#tasks].flatMap(([work, row]) => (concerns(row) ? [work] : []));
  }

  /** Resolves when none of these is left; what begins meanwhile counts. */
  async whenDone(concerns: TaskFilter): Promise<void> {
    for (;;) {
      const works = this.promisesOf(concerns);
      if (works.length === 0) return;
      await Promise.all(works);
    }
  }
}
