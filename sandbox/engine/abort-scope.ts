/** Nobody is told, and an error made for each round would cost more than all the rest of giving it up. */
const ABORTED = new Error("the sandbox has given it up");

/** Work that begins in the same round is given up together; what begins later is not. */
export class AbortScope {
  #controller = new AbortController();

  /** For what begins now. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(ABORTED);
    this.#controller = new AbortController();
  }
}
