import { OPERATIONS } from "../../operations/operations.ts";
import { toPath, valueAtPath } from "../path.ts";
import {
  findStateCandidates,
  hasDocumentedWord,
  isSettled,
  type JobHistory,
  learnWords,
  proveState,
  type StateCandidate,
} from "./job-state.ts";
import type { LearnedLines } from "./lines.ts";
import { makeUnknownId } from "./looks.ts";
import type { LearningPort, Observation } from "./port.ts";
import { findPlaceOf, findSubmittedIds, readSubmittedId, type SubmittedId } from "./submitted-id.ts";

export interface Submission {
  /** The name that the user gave the file. */
  readonly file: string;
  /** Null if it was sent in an earlier run, which did not keep it. */
  readonly response: Observation | null;
  /** As the client reads it without a mapping. */
  readonly jobId: string | null;
  /** Whether `diligence check` finds no fault in the file. */
  readonly isClean: boolean;
  /** Leaves out what the request itself had. */
  removeSent(candidates: readonly SubmittedId[]): Promise<readonly SubmittedId[]>;
}

export interface LearnedJob extends JobHistory {
  readonly id: string;
  readonly file: string;
}

const { status: statusOperation, report } = OPERATIONS.diligence;

const isSuccess = (response: Observation | null): response is Observation =>
  response !== null && response.status >= 200 && response.status < 300;

/** The id of each job that was submitted, by the line `submitted.id`; null where it is not known. */
export async function learnSubmittedId(
  port: LearningPort,
  lines: LearnedLines,
  submissions: readonly Submission[],
): Promise<readonly (string | null)[]> {
  for (const { file, response, removeSent } of submissions) {
    if (lines.get("submitted.id") !== undefined) break;
    if (response === null) continue;
    const candidates = (await removeSent(findSubmittedIds(response))).slice(0, MAX_CANDIDATES);
    const proved = await readBack(port, candidates);
    const [only, ...more] = proved.length > 0 ? proved : candidates;
    const isProved = proved.length === 1 && more.length === 0;
    if (only)
      await lines.settle(
        "submitted.id",
        `Which of these is the id of the job of ${file}?`,
        (isProved ? [only] : candidates).map(({ id, place }) => ({ value: place, shows: id })),
        isProved,
      );
  }
  const line = lines.get("submitted.id");
  return submissions.map(({ jobId, response }) =>
    response !== null && typeof line === "string" ? readSubmittedId(response, line) : jobId,
  );
}

/** Each candidate costs a request. */
const MAX_CANDIDATES = 5;

/** The candidates whose job can be read. A service that responds with 200 to any id proves only what its response has. */
async function readBack(
  port: LearningPort,
  candidates: readonly SubmittedId[],
): Promise<readonly SubmittedId[]> {
  const [first] = candidates;
  if (!first) return [];
  const read = (jobId: string) => port.try({ operation: statusOperation, params: { jobId } });
  const isAnyRead = isSuccess(await read(makeUnknownId(first.id)));
  const proved: SubmittedId[] = [];
  for (const candidate of candidates) {
    const response = await read(candidate.id);
    if (isSuccess(response) && !(isAnyRead && findPlaceOf(response.json, candidate.id) === null))
      proved.push(candidate);
  }
  return proved;
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
    const response = await port.read({ operation: statusOperation, params: { jobId } });
    if (!isSuccess(response)) break;
    const documents = list();
    if (!isSettled(documents, POLLS_OF_AN_END)) continue;
    if (hasDocumentedWord(response.json) || isSettled(documents, POLLS_OF_A_LASTING_STATE)) break;
    if (isSuccess(await port.read({ operation: report, params: { jobId } }))) break;
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
  if (answer !== null) lines.answer("job.words", toWords(word, answer));
}

/** An answer may be the line, or only the meaning. */
const toWords = (word: string, answer: string) =>
  (answer.startsWith("{") ? JSON.parse(answer) : { [word]: answer }) as Record<string, "completed">;
