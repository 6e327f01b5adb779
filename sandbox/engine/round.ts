/** Nobody is told, and an error made for each round would cost more than all the rest of giving it up. */
const GIVEN_UP = new Error("the sandbox has given it up");

/** Work that begins in the same round is given up together; what begins later is not. */
export class Round {
  #controller = new AbortController();

  /** For what begins now. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abandon(): void {
    this.#controller.abort(GIVEN_UP);
    this.#controller = new AbortController();
  }
}
