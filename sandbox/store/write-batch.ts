import { setImmediate } from "node:timers";
import type { Store } from "./open.ts";

interface PendingWrite {
  /** Answers what is to be done when it is kept. */
  readonly write: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** The writes of one turn of the event loop in one transaction. */
export class WriteBatch {
  readonly #store: Store;
  #pending: PendingWrite[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves to what `write` answers when that is kept. A run of `write` that is not kept is undone and made again. */
  write<T>(write: () => T): Promise<T> {
    return new Promise((resolve, fail) => {
      if (this.#pending.length === 0) setImmediate(() => this.#commit());
      const kept = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#pending.push({ write: kept, fail });
    });
  }

  #commit(): void {
    const writes = this.#pending;
    this.#pending = [];
    for (const done of this.#runAll(writes)) done();
  }

  /** One that fails must not take the others with it. */
  #runAll(writes: readonly PendingWrite[]): readonly (() => void)[] {
    try {
      return this.#store.transaction(() => writes.map(({ write }) => write()));
    } catch {
      return writes.map((work) => this.#runAlone(work));
    }
  }

  #runAlone({ write, fail }: PendingWrite): () => void {
    try {
      return this.#store.transaction(write);
    } catch (error) {
      return () => fail(error);
    }
  }
}
