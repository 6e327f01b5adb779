/** A constant, because creating an error for each abort costs more than the rest of the abort. */
const ABORTED = new Error("the sandbox aborted this work");

/** Aborts the work that is in progress. Work that starts later gets a new signal. */
export class AbortScope {
  #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(ABORTED);
    this.#controller = new AbortController();
  }
}
