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

/** Aborts the work that is in progress. Work that starts later gets a new signal. */
export function createAbortScope() {
  let controller = new AbortController();
  return {
    get signal(): AbortSignal {
      return controller.signal;
    },
    abort(): void {
      controller.abort();
      controller = new AbortController();
    },
  };
}
