import { JOB_STATES, type JobState } from "../../../domain/diligence/states.ts";
import type { JobWords } from "../mapping.ts";
import { listLeaves } from "./leaves.ts";
import { isWord } from "./looks.ts";

/** What was seen of one job. */
export interface JobHistory {
  /** The responses to status, in the order of the polls. */
  readonly documents: readonly unknown[];
  /** Whether `diligence check` finds no fault in the file of the job. */
  readonly isClean: boolean;
}

export interface StateCandidate {
  readonly path: string;
  /** By job, each word once, in the order in which it came. */
  readonly words: readonly (readonly string[])[];
}

/** The places whose values are single words, or pass another test, in each response of each job. */
export function findStateCandidates(
  jobs: readonly JobHistory[],
  isState: (value: unknown) => boolean = isWord,
): readonly StateCandidate[] {
  const byPath = new Map<string, unknown[][]>();
  for (const [index, { documents }] of jobs.entries())
    for (const document of documents)
      for (const { path, value } of listLeaves(document)) {
        const seen = byPath.get(path) ?? jobs.map(() => []);
        seen[index]?.push(value);
        byPath.set(path, seen);
      }
  const isInEach = (seen: readonly unknown[][]) =>
    seen.every((values, index) => values.length === jobs[index]?.documents.length && values.every(isState));
  return [...byPath]
    .filter(([, seen]) => isInEach(seen) && !isYesOrNo(seen.flat()))
    .map(([path, seen]) => ({ path, words: seen.map((values) => [...new Set(values.map(String))]) }));
}

const isYesOrNo = (values: readonly unknown[]): boolean =>
  values.every((value) => value === "Y" || value === "N");

const isDocumented = (word: string): boolean => /^(partial|failed)$/i.test(word);

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
  const documented = changed.filter(({ words }) => words.flat().some(isDocumented));
  const [only, ...more] = [named, documented, changed].find(({ length }) => length > 0) ?? [];
  return only && more.length === 0 ? only : null;
}

export interface LearnedWords {
  readonly words: JobWords;
  /** The last words of jobs whose meaning is not proved. */
  readonly open: readonly string[];
}

/**
 * What the words of the state mean. 202 says "queued" (interface §3), so the first of several words is that; `completed` is
 * the last word of all clean files, if no other job had it. A word that came before another one is not the end of a job.
 *
 * @param seen by job, each word once, in its order
 */
export function learnWords(seen: readonly (readonly string[])[], jobs: readonly JobHistory[]): LearnedWords {
  const words: Record<string, JobState> = {};
  const open = new Set<string>();
  const isOurs = (word: string) => JOB_STATES.some((state) => state === word.toLowerCase());
  for (const own of seen) {
    const [first, second] = own;
    if (own.length < 3 || first === undefined || second === undefined) continue;
    for (const word of own.slice(0, -1))
      if (!isOurs(word)) words[word] ??= word === first ? "queued" : "processing";
  }
  const ofClean = new Set(seen.flatMap((own, index) => (jobs[index]?.isClean ? own.slice(-1) : [])));
  for (const last of new Set(seen.flatMap((own) => own.slice(-1)))) {
    if (isOurs(last)) continue;
    const isOther = seen.some((own, index) => !jobs[index]?.isClean && own.includes(last));
    const isPassing = seen.some((own) => own.slice(0, -1).includes(last));
    if (ofClean.has(last) && ofClean.size === 1 && !isOther && !isPassing) words[last] = "completed";
    else open.add(last);
  }
  for (const word of open) delete words[word];
  return { words, open: [...open] };
}

/** Whether a job seems to have ended: a documented word, or the same words in the last responses. */
export function isSettled(documents: readonly unknown[], polls: number): boolean {
  const last = documents
    .slice(-polls)
    .map((document) =>
      JSON.stringify(listLeaves(document).flatMap(({ path, value }) => (isWord(value) ? [path, value] : []))),
    );
  return last.length === polls && new Set(last).size === 1;
}

export const hasDocumentedWord = (document: unknown): boolean =>
  listLeaves(document).some(({ value }) => typeof value === "string" && isDocumented(value));
