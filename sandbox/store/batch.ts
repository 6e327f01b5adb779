import { setImmediate } from "node:timers";
import type { Store } from "./open.ts";

interface Work {
  /** Answers what is to be done when it is kept. */
  readonly write: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** The writes of one turn of the event loop in one transaction. */
export class Batch {
  readonly #store: Store;
  #works: Work[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves to what `write` answers when that is kept. A run of `write` that is not kept is undone and made again. */
  write<T>(write: () => T): Promise<T> {
    return new Promise((resolve, fail) => {
      if (this.#works.length === 0) setImmediate(() => this.#commit());
      const kept = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#works.push({ write: kept, fail });
    });
  }

  #commit(): void {
    const works = this.#works;
    this.#works = [];
    for (const done of this.#written(works)) done();
  }

  /** One that fails must not take the others with it. */
  #written(works: readonly Work[]): readonly (() => void)[] {
    try {
      return this.#store.transaction(() => works.map(({ write }) => write()));
    } catch {
      return works.map((work) => this.#writtenAlone(work));
    }
  }

  #writtenAlone({ write, fail }: Work): () => void {
    try {
      return this.#store.transaction(write);
    } catch (error) {
      return () => fail(error);
    }
  }
}
