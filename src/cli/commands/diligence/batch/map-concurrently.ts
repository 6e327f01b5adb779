/** Yields each result when it is ready. After an error, the others finish their items, and no further item starts. */
export async function* mapConcurrently<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = toAsync(items);
  const results: R[] = [];
  const errors: unknown[] = [];
  let isStopped = false;
  let running = workers;
  let wake = () => {};
  const runWorker = async () => {
    try {
      while (!isStopped) {
        const next = await source.next();
        if (next.done) break;
        results.push(await work(next.value));
        wake();
      }
    } catch (error) {
      isStopped = true;
      errors.push(error);
    } finally {
      running -= 1;
      wake();
    }
  };
  const all = Promise.all(Array.from({ length: workers }, runWorker));
  try {
    while (running > 0 || results.length > 0) {
      for (const result of results.splice(0)) yield result;
      if (running > 0 && results.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    isStopped = true;
    await all;
  }
  if (errors.length > 0) throw errors[0];
}

async function* toAsync<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
