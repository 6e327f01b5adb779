import { groupBy } from "../domain/group-by.ts";
import { isWord, listLeaves } from "./leaves.ts";

interface StateCandidate {
  readonly path: string;
  /** By job, each word once, in the order in which it came. */
  readonly words: readonly (readonly string[])[];
}

/**
 * The places whose values are single words, or pass another test, in each response of each job.
 *
 * @param jobs the responses to status of each
 */
export function findStateCandidates(
  jobs: readonly { readonly documents: readonly unknown[] }[],
  isState: (value: unknown) => boolean = isWord,
): readonly StateCandidate[] {
  const seen = jobs.map(({ documents }) => groupBy(documents.flatMap(listLeaves), ({ path }) => path));
  return [...(seen[0]?.keys() ?? [])].flatMap((path) => {
    const values = seen.map((byPath) => (byPath.get(path) ?? []).map(({ value }) => value));
    const isInEach = values.every(
      (own, index) => own.length === jobs[index]?.documents.length && own.every(isState),
    );
    if (!isInEach || values.flat().every((value) => value === "Y" || value === "N")) return [];
    return [{ path, words: values.map((own) => [...new Set(own.map(String))]) }];
  });
}

/** Names of ends of a job (interface §3). */
export const isDocumentedEnd = (word: string): boolean => /^(partial|failed)$/i.test(word);

/**
 * The only place of a word that was given. Otherwise, the state changed between polls *and* held a documented word; else it is
 * the only place that changed.
 *
 * @param given the words of the state that are known
 */
export function proveState(
  candidates: readonly StateCandidate[],
  given: readonly string[] = [],
): StateCandidate | null {
  const named = candidates.filter(({ words }) => words.flat().some((word) => given.includes(word)));
  const changed = candidates.filter(({ words }) => words.some((seen) => seen.length > 1));
  const documented = changed.filter(({ words }) => words.flat().some(isDocumentedEnd));
  const [only, ...more] = [named, documented, changed].find(({ length }) => length > 0) ?? [];
  return only && more.length === 0 ? only : null;
}
