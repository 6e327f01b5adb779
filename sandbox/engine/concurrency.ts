/** Runs up to `count` pieces of work at a time. More wait in the order in which they came. */
export function createSemaphore(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resume) => waiting.push(resume));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}

/** A constant, because creating an error for each abort costs more than the rest of the abort. */
const ABORTED = new Error("the sandbox aborted this work");

/** Aborts the work that is in progress. Work that starts later gets a new signal. */
export function createAbortScope() {
  let controller: AbortController | null = null;
  return {
    /** Made at first use: aborting a controller takes longer than the rest of an abort. */
    get signal(): AbortSignal {
      controller ??= new AbortController();
      return controller.signal;
    },
    abort(): void {
      controller?.abort(ABORTED);
      controller = null;
    },
  };
}
