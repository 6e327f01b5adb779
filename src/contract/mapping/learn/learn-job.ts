import { JOB_STATES, type JobState } from "../../../domain/diligence/states.ts";
import { groupBy } from "../../../domain/group-by.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import type { JobWords } from "../mapping.ts";
import { toPath, valueAtPath } from "../path.ts";
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type LearningPort } from "./port.ts";
import { findPlaceOf, isWord, listLeaves } from "./values.ts";

/** What was seen of one job. */
export interface JobHistory {
  /** The responses to status, in the order of the polls. */
  readonly documents: readonly unknown[];
  /** Whether `diligence check` finds no fault in the file of the job. */
  readonly isClean: boolean;
}

interface StateCandidate {
  readonly path: string;
  /** By job, each word once, in the order in which it came. */
  readonly words: readonly (readonly string[])[];
}

/** The places whose values are single words, or pass another test, in each response of each job. */
export function findStateCandidates(
  jobs: readonly JobHistory[],
  isState: (value: unknown) => boolean = isWord,
): readonly StateCandidate[] {
  const seen = jobs.map(({ documents }) =>
    groupBy(
      documents.flatMap((document) => listLeaves(document)),
      ({ path }) => path,
    ),
  );
  return [...(seen[0]?.keys() ?? [])].flatMap((path) => {
    const values = seen.map((byPath) => (byPath.get(path) ?? []).map(({ value }) => value));
    const isInEach = values.every(
      (own, index) => own.length === jobs[index]?.documents.length && own.every(isState),
    );
    if (!isInEach || isYesOrNo(values.flat())) return [];
    return [{ path, words: values.map((own) => [...new Set(own.map(String))]) }];
  });
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

interface LearnedWords {
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
function isSettled(documents: readonly unknown[], polls: number): boolean {
  const last = documents
    .slice(-polls)
    .map((document) =>
      JSON.stringify(listLeaves(document).flatMap(({ path, value }) => (isWord(value) ? [path, value] : []))),
    );
  return last.length === polls && new Set(last).size === 1;
}

const hasDocumentedWord = (document: unknown): boolean =>
  listLeaves(document).some(({ value }) => typeof value === "string" && isDocumented(value));

export interface LearnedJob extends JobHistory {
  readonly id: string;
  readonly file: string;
}

const POLLS_OF_AN_END = 3;
/** Without a report and a documented word, a state that lasts so long is taken for the last one, and asked about. */
const POLLS_OF_A_LASTING_STATE = 12;

/** Reads the status of a job until it has ended, or until the caller ends the wait. @param list all responses so far */
export async function watchJob(
  port: LearningPort,
  jobId: string,
  list: () => readonly unknown[],
): Promise<void> {
  do {
    const response = await port.read({ operation: OPERATIONS.diligence.status, params: { jobId } });
    if (!isSuccess(response)) break;
    const documents = list();
    if (!isSettled(documents, POLLS_OF_AN_END)) continue;
    if (hasDocumentedWord(response.json) || isSettled(documents, POLLS_OF_A_LASTING_STATE)) break;
    if (isSuccess(await port.read({ operation: OPERATIONS.diligence.report, params: { jobId } }))) break;
  } while (await port.pause());
}

export async function learnJob(lines: LearnedLines, jobs: readonly LearnedJob[]): Promise<void> {
  const seen = jobs.filter(({ documents }) => documents.length > 0);
  if (seen.length === 0) return;
  const place = seen.map(({ documents, id }) => findPlaceOf(documents[0], id)).find((each) => each !== null);
  if (place !== undefined && place !== "jobId") lines.prove("job.id", place);
  await learnState(lines, seen);
  const state = lines.get("job.state") ?? "state";
  if (typeof state !== "string") return;
  const words = seen.map(({ documents }) => readWords(documents, state));
  if (lines.get("job.state") !== undefined && words.flat().length === 0)
    return lines.leaveOut("job.state", `${state} has no word in the responses to status`);
  const learned = learnWords(words, seen);
  if (Object.keys(learned.words).length > 0) lines.prove("job.words", learned.words);
  for (const word of learned.open) await askForMeaning(lines, word, seen, words);
}

const readWords = (documents: readonly unknown[], path: string): readonly string[] => [
  ...new Set(
    documents
      .map((document) => valueAtPath(document, toPath(path)))
      .filter((word) => typeof word === "string" || typeof word === "number")
      .map(String),
  ),
];

async function learnState(lines: LearnedLines, jobs: readonly LearnedJob[]): Promise<void> {
  if (lines.get("job.state") !== undefined) return;
  const candidates = findStateCandidates(jobs).filter(({ path }) => path !== lines.get("job.id"));
  const given = Object.keys(Object(lines.get("job.words")));
  const proved = proveState(candidates, given);
  if (proved?.path === "state") return;
  const isChanged = ({ words }: StateCandidate) => new Set(words.flat()).size > 1;
  // A number that changes may count something, or be the state.
  const changed = [...candidates, ...findStateCandidates(jobs, Number.isSafeInteger)].filter(isChanged);
  const shown = proved ? [proved] : changed.length > 0 ? changed : candidates;
  const toCandidate = ({ path, words }: StateCandidate) => ({
    value: path,
    shows: words.map((each) => each.join(" → ")).join("; "),
  });
  await lines.settle(
    "job.state",
    "Which of these is the state of a job?",
    shown.map(toCandidate),
    proved !== null,
  );
}

const MEANINGS = [
  ["completed", "completed: every row is done"],
  ["partial", "partial: some rows are left"],
  ["failed", "failed: there is no result"],
  ["processing", "not finished yet"],
] as const;

async function askForMeaning(
  lines: LearnedLines,
  word: string,
  jobs: readonly LearnedJob[],
  words: readonly (readonly string[])[],
): Promise<void> {
  const known = lines.get("job.words");
  if (typeof known === "object" && Object.hasOwn(known, word)) return;
  const files = jobs.flatMap(({ file }, index) => (words[index]?.at(-1) === word ? [file] : []));
  const answer = await lines.ask({
    key: "job.words",
    text: `The job of ${files.join(" and ")} is "${word}" in the end. What does it mean?`,
    candidates: MEANINGS.map(([state, shows]) => ({ value: JSON.stringify({ [word]: state }), shows })),
  });
  // An answer may be the line, or only the meaning.
  if (answer !== null)
    lines.answer("job.words", answer.startsWith("{") ? answer : JSON.stringify({ [word]: answer }));
}
