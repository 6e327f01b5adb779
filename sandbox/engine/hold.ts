/** A time in which nothing may begin. */
export class Hold {
  readonly released: Promise<void>;
  #release: () => void = () => undefined;

  constructor() {
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release();
  }
}
