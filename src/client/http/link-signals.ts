/** `AbortSignal.any` for a short operation: Node keeps each result of that at every long-lived source (Node 20.20). */
export function linkSignals(...sources: readonly AbortSignal[]): {
  readonly signal: AbortSignal;
  unlink(): void;
} {
  const linked = new AbortController();
  const unlinked = new AbortController();
  for (const source of sources) {
    const abort = () => linked.abort(source.reason);
    if (source.aborted) abort();
    else source.addEventListener("abort", abort, { once: true, signal: unlinked.signal });
  }
  return { signal: linked.signal, unlink: () => unlinked.abort() };
}
