/** Runs work on equal files one after the other, so that each work gets the results for the files before. */
export class EqualFiles<T> {
  readonly #results = new Map<string, Promise<readonly T[]>>();
  #lastStart: Promise<unknown> = Promise.resolve();

  /** Starts the works in the order of the calls, however long a hash takes. */
  async run(hash: Promise<string>, work: (earlier: readonly T[]) => Promise<T>): Promise<T> {
    const before = this.#lastStart;
    const start = (async () => {
      const [key] = await Promise.all([hash, before]);
      return { result: this.#start(key, work) };
    })();
    this.#lastStart = start.catch(() => {});
    return (await start).result;
  }

  #start(key: string, work: (earlier: readonly T[]) => Promise<T>): Promise<T> {
    const before = this.#results.get(key) ?? Promise.resolve([]);
    const result = before.then(work);
    const addResult = async () => [...(await before), await result];
    this.#results.set(
      key,
      addResult().catch(() => before),
    );
    return result;
  }
}
