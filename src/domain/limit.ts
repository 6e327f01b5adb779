/** Runs the work of each call, a limited number at once, in the order of the calls. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** A semaphore. */
export function createLimit(max: number): Limit {
  let free = max;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The next one takes the place.
      const start = waiting.shift();
      if (start) start();
      else free += 1;
    }
  };
}
