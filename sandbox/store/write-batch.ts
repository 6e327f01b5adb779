import { setImmediate } from "node:timers";
import type { Store } from "./open.ts";

interface PendingWrite {
  /** Writes, and returns what to call after the commit. */
  readonly write: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Commits the writes of one turn of the event loop in one transaction. */
export class WriteBatch {
  readonly #store: Store;
  #pending: PendingWrite[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves to the result of `write` after its commit. When the transaction fails, `write` runs a second time. */
  write<T>(write: () => T): Promise<T> {
    return new Promise((resolve, fail) => {
      if (this.#pending.length === 0) setImmediate(() => this.#commit());
      const writeAndResolve = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#pending.push({ write: writeAndResolve, fail });
    });
  }

  #commit(): void {
    const writes = this.#pending;
    this.#pending = [];
    for (const settle of this.#runAll(writes)) settle();
  }

  /** Runs each write alone when one of them fails, so that the others still succeed. */
  #runAll(writes: readonly PendingWrite[]): readonly (() => void)[] {
    try {
      return this.#store.transaction(() => writes.map(({ write }) => write()));
    } catch {
      return writes.map((write) => this.#runAlone(write));
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
