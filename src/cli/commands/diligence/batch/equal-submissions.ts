/** Runs work on equal submissions one after the other, so that each finds those before it in the log. */
export class EqualSubmissions {
  readonly #last = new Map<string, Promise<unknown>>();
  #lastStart: Promise<unknown> = Promise.resolve();

  /** Starts the works in the order of the calls, however long a hash takes. */
  async run<T>(content: Promise<string>, work: () => Promise<T>): Promise<T> {
    const before = this.#lastStart;
    const start = (async () => {
      const [key] = await Promise.all([content, before]);
      return { result: this.#start(key, work) };
    })();
    this.#lastStart = start.catch(() => {});
    return (await start).result;
  }

  #start<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    this.#last.set(
      key,
      result.catch(() => {}),
    );
    return result;
  }
}
