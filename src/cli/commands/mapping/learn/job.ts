import { findStateCandidates, isDocumentedEnd, proveState } from "../../../../client/job-state.ts";
import { findPathOf, isWord, listLeaves } from "../../../../client/leaves.ts";
import { pollUntilEnded } from "../../../../client/wait.ts";
import type { JobWords } from "../../../../contract/mapping/mapping.ts";
import { toPath, valueAtPath } from "../../../../contract/mapping/path.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import { JOB_STATES, type JobState } from "../../../../domain/diligence/states.ts";
import type { Context } from "../../../context.ts";
import { DEFAULT_WAIT_MS } from "../../../records/wait-for-end.ts";
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type ServiceReads } from "./service-reads.ts";

const { report, status } = OPERATIONS.diligence;

/** What was seen of one job. */
export interface JobHistory {
  readonly id: string;
  readonly file: string;
  /** The responses to status, in the order of the polls. */
  readonly documents: readonly unknown[];
  /** Whether `diligence check` finds no fault in the file of the job. */
  readonly isClean: boolean;
}

const POLLS_OF_AN_END = 3;
/** Without a report and a documented word, a state that lasts so long is taken for the last one, and asked about. */
const POLLS_OF_A_LASTING_STATE = 12;

/** The responses to status of a job until it has ended, or until the time for it is over. */
export async function watchJob(
  context: Context,
  reads: ServiceReads,
  jobId: string,
  timeoutMs = DEFAULT_WAIT_MS,
): Promise<readonly unknown[]> {
  const listStatuses = () =>
    reads.documents.flatMap(({ operation, params, json }) =>
      operation === status && params?.jobId === jobId ? [json] : [],
    );
  const hasEnded = async (): Promise<boolean> => {
    if (!isSuccess(await reads.read({ operation: status, params: { jobId } }))) return true;
    const documents = listStatuses();
    if (!isSettled(documents, POLLS_OF_AN_END)) return false;
    if (listLeaves(documents.at(-1)).some(({ value }) => isDocumentedEnd(String(value)))) return true;
    if (isSettled(documents, POLLS_OF_A_LASTING_STATE)) return true;
    return isSuccess(await reads.read({ operation: report, params: { jobId } }));
  };
  const poll = async () => {
    const ended = (await hasEnded()) ? { ended: "unknown" as const } : {};
    return { seen: { state: "", rowsProcessed: null, rowsTotal: null, ...ended } };
  };
  await pollUntilEnded(poll, { runtime: context, timeoutMs, signal: context.signal });
  return listStatuses();
}

/** Whether the last responses have the same words. */
function isSettled(documents: readonly unknown[], polls: number): boolean {
  const last = documents
    .slice(-polls)
    .map((document) => JSON.stringify(listLeaves(document).filter(({ value }) => isWord(value))));
  return last.length === polls && new Set(last).size === 1;
}

/** Where the id and the state of a job are, and what its words mean. */
export async function learnJob(lines: LearnedLines, all: readonly JobHistory[]): Promise<void> {
  const jobs = all.filter(({ documents }) => documents.length > 0);
  if (jobs.length === 0) return;
  const idPath = jobs.map(({ documents, id }) => findPathOf(documents[0], id)).find(Boolean);
  if (idPath !== undefined) lines.prove("job.id", idPath);
  await learnState(lines, jobs);
  const statePath = lines.findPath("job.state");
  const seen = jobs.map((job) => ({ ...job, words: readWords(job.documents, statePath) }));
  if (lines.get("job.state") !== undefined && seen.every(({ words }) => words.length === 0))
    return lines.leaveOut("job.state", `${statePath} has no word in the responses to status`);
  const { meanings, open } = learnMeanings(seen);
  if (Object.keys(meanings).length > 0) lines.prove("job.words", meanings);
  for (const word of open) {
    const files = seen.flatMap(({ file, words }) => (words.at(-1) === word ? [file] : []));
    if (!listKnownWords(lines).includes(word)) await askMeaning(lines, word, files);
  }
}

/** @param files those of the jobs that have this word in the end */
async function askMeaning(lines: LearnedLines, word: string, files: readonly string[]): Promise<void> {
  await lines.ask({
    key: "job.words",
    text: `The job of ${files.join(" and ")} is "${word}" in the end. What does it mean?`,
    candidates: MEANINGS.map(([state, value]) => ({ line: JSON.stringify({ [word]: state }), value })),
  });
}

const MEANINGS = [
  ["completed", "completed: every row is done"],
  ["partial", "partial: some rows are left"],
  ["failed", "failed: there is no result"],
  ["processing", "not finished yet"],
] as const;

/** The words whose meaning a line has. */
const listKnownWords = (lines: LearnedLines): readonly string[] => Object.keys(lines.get("job.words") ?? {});

async function learnState(lines: LearnedLines, jobs: readonly JobHistory[]): Promise<void> {
  const candidates = findStateCandidates(jobs).filter(({ path }) => path !== lines.get("job.id"));
  const proved = proveState(candidates, listKnownWords(lines));
  // A number that changes may count something, or be the state.
  const changed = [...candidates, ...findStateCandidates(jobs, Number.isSafeInteger)].filter(
    ({ words }) => new Set(words.flat()).size > 1,
  );
  const shown = (proved ? [proved] : changed.length > 0 ? changed : candidates).map(({ path, words }) => ({
    line: path,
    value: words.map((each) => each.join(" → ")).join("; "),
  }));
  await lines.settle("job.state", "Which of these is the state of a job?", shown, proved !== null);
}

/** A service may leave or refuse rows in which `diligence check` finds no fault: its word for that proves no success. */
const DENIES_END = /incomplete|partial|pending|fail|error|reject|refus|cancel|abort|^(un|not)/i;

/** Each word once. */
const readWords = (documents: readonly unknown[], path: string): readonly string[] => [
  ...new Set(
    documents
      .map((document) => valueAtPath(document, toPath(path)))
      .filter((word) => typeof word === "string" || typeof word === "number")
      .map(String),
  ),
];

/**
 * What the words of the state mean. 202 says "queued" (interface §3), so the first of several words is that; `completed` is
 * the last word of all clean files, if no other job had it and it does not say otherwise. A word that came before another one is
 * not the end of a job.
 *
 * @param jobs the words of each job once, in its order
 * @returns `open`: the last words of jobs whose meaning is not proved
 */
export function learnMeanings(
  jobs: readonly { readonly words: readonly string[]; readonly isClean: boolean }[],
): { readonly meanings: JobWords; readonly open: readonly string[] } {
  const meanings: Record<string, JobState> = {};
  const isOurs = (word: string) => JOB_STATES.some((state) => state === word.toLowerCase());
  for (const { words } of jobs.filter((job) => job.words.length > 2))
    for (const [index, word] of words.slice(0, -1).entries())
      if (!isOurs(word)) meanings[word] ??= index === 0 ? "queued" : "processing";
  const lastOfClean = new Set(jobs.flatMap(({ words, isClean }) => (isClean ? words.slice(-1) : [])));
  const others = jobs.flatMap(({ words, isClean }) => (isClean ? words.slice(0, -1) : words));
  const isCompleted = (word: string) =>
    lastOfClean.has(word) && lastOfClean.size === 1 && !others.includes(word) && !DENIES_END.test(word);
  const last = [...new Set(jobs.flatMap(({ words }) => words.slice(-1)))].filter((word) => !isOurs(word));
  for (const word of last)
    if (isCompleted(word)) meanings[word] = "completed";
    else delete meanings[word];
  return { meanings, open: last.filter((word) => !isCompleted(word)) };
}
