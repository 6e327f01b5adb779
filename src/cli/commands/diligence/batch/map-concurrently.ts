/**
 * Works on items several at a time and hands each result on as it is there. The work goes on while nobody takes a
 * result; when one piece of it throws, what is under way is finished, nothing else is begun, and the error is thrown.
 */
export async function* mapConcurrently<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = toAsync(items);
  const results: R[] = [];
  const errors: unknown[] = [];
  let stopped = false;
  let running = workers;
  let wake = () => {};
  const worker = async () => {
    try {
      while (!stopped) {
        const next = await source.next();
        if (next.done) break;
        results.push(await work(next.value));
        wake();
      }
    } catch (error) {
      stopped = true;
      errors.push(error);
    } finally {
      running -= 1;
      wake();
    }
  };
  const all = Promise.all(Array.from({ length: workers }, worker));
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
    stopped = true;
    await all;
  }
  if (errors.length > 0) throw errors[0];
}

async function* toAsync<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
