import { setImmediate } from "node:timers";
import type { Store } from "./store.ts";

interface PendingWrite {
  /** Writes, and returns what to call after the commit. */
  readonly write: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Makes a function that commits the writes of one turn of the event loop in one transaction. */
export function createWriteBatch(store: Store) {
  let pending: PendingWrite[] = [];

  const commit = (): void => {
    const writes = pending;
    pending = [];
    for (const settle of runAll(store, writes)) settle();
  };

  /** Resolves to the result of `write` after its commit. When the transaction fails, `write` runs a second time. */
  return <T>(write: () => T): Promise<T> =>
    new Promise((resolve, fail) => {
      if (pending.length === 0) setImmediate(commit);
      const writeAndResolve = () => {
        const result = write();
        return () => resolve(result);
      };
      pending.push({ write: writeAndResolve, fail });
    });
}

/** Runs each write alone when one of them fails, so that the others still succeed. */
function runAll(store: Store, writes: readonly PendingWrite[]): readonly (() => void)[] {
  try {
    return store.transaction(() => writes.map(({ write }) => write()));
  } catch {
    return writes.map(({ write, fail }) => {
      try {
        return store.transaction(write);
      } catch (error) {
        return () => fail(error);
      }
    });
  }
}
