/** A signal that aborts with the first of its sources, until it is unlinked from them. */
interface LinkedSignal {
  readonly signal: AbortSignal;
  unlink(): void;
}

/**
 * `AbortSignal.any` for a short operation under a signal that lives long: its results cannot be taken back, and Node keeps
 * a reference to each of them at every source (Node 20.20: one more per call, also after the result was collected).
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const linked = new AbortController();
  const links = sources.map((source) => {
    const abort = () => linked.abort(source.reason);
    if (source.aborted) abort();
    else source.addEventListener("abort", abort, { once: true });
    return () => source.removeEventListener("abort", abort);
  });
  return {
    signal: linked.signal,
    unlink() {
      for (const unlink of links) unlink();
    },
  };
}
