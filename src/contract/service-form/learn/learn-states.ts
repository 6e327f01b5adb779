import { categorizeState, JOB_STATES, type JobState } from "../../../domain/diligence/states.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatPlace, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { OpenPoint, Row } from "../service-form.ts";
import { listLeaves, openPoint } from "./samples.ts";

/** The records of one job in the order of the polls. */
export interface JobHistory {
  readonly records: readonly unknown[];
  readonly hasReport: boolean;
}

interface LearnedState {
  readonly row?: Row;
  readonly place?: Place;
  readonly open: readonly OpenPoint[];
}

const WORD = /^[a-z]{1,20}(?:[ _-][a-z]{1,20}){0,3}$/i;

/** A job with a report has ended once its state has stayed the same for so many polls (product.md §10). */
export const POLLS_OF_AN_END = 3;

const isStateValue = (value: unknown): boolean =>
  typeof value === "string" ? WORD.test(value) : Number.isInteger(value) && Number(value) < 1000;

/**
 * Where the state of a job is, and its words: by its name, by a documented word, or because it alone changed between polls.
 * A word of the contract means itself, so that no two states are ever written as one word.
 *
 * @param named the place that its name shows
 */
export function learnState(jobs: readonly JobHistory[], named: Place | undefined): LearnedState {
  const place = named ?? findPlace(jobs);
  if (!place) {
    const isOpen = jobs.some(({ records }) => records.length > 1);
    return {
      open: isOpen ? [openPoint("Job.state", "no field, or several", "no evidence which field it is")] : [],
    };
  }
  const words = new Map<JobState, string | number>();
  const others = new Set<string | number>();
  const firsts: (string | number)[] = [];
  for (const { records, hasReport } of jobs) {
    const seen = records
      .map((record) => valueAtPlace(record, place))
      .filter((value): value is string | number => isStateValue(value));
    const [first, last] = [seen[0], seen.at(-1)];
    if (first === undefined || last === undefined) continue;
    firsts.push(first);
    for (const word of seen) {
      const own = JOB_STATES.find((state) => state === String(word).toLowerCase());
      if (own) words.set(own, word);
      else others.add(word);
    }
    const isLasting = seen.length >= POLLS_OF_AN_END && new Set(seen.slice(-POLLS_OF_AN_END)).size === 1;
    const isEnded = categorizeState(String(last)) === "completed" || (hasReport && isLasting);
    if (isEnded && others.has(last)) words.set("completed", last);
  }
  others.delete(words.get("completed") ?? "");
  const queued = firsts.find((word) => others.has(word));
  if (queued !== undefined && !words.has("queued") && others.delete(queued)) words.set("queued", queued);
  const [processing, ...more] = others;
  const open: OpenPoint[] = [];
  if (processing !== undefined && more.length === 0 && !words.has("processing"))
    words.set("processing", processing);
  else if (others.size > 0)
    open.push(openPoint("Job.state", `${others.size} other words`, "no evidence what they mean"));
  for (const word of ["partial", "failed"] as const)
    if (!words.has(word)) open.push(openPoint(`Job.state ${word}`, "not observed", "no job ended so"));
  const renamed = [...words].filter(([own, theirs]) => own !== theirs);
  const at = formatPlace(place);
  const row = renamed.length > 0 ? { at, words: Object.fromEntries(renamed) } : at;
  return { ...((at !== "state" || renamed.length > 0) && { row }), place, open };
}

/** The word of the state in the last of several records of one job; null if no place is known to have it. */
export function findState(records: readonly unknown[]): string | null {
  const place = findPlace([{ records, hasReport: true }]);
  const value = place && valueAtPlace(records.at(-1), place);
  return value === undefined ? null : String(value);
}

function findPlace(jobs: readonly JobHistory[]): Place | undefined {
  const places = new Map<string, Set<unknown>>();
  const records = jobs.flatMap((job) => job.records).filter(isRecord);
  for (const { place, value } of records.flatMap((record) => listLeaves(record))) {
    const key = formatPlace(place);
    places.set(key, (places.get(key) ?? new Set()).add(value));
  }
  const candidates = [...places].filter(([, values]) => values.size > 1 && [...values].every(isStateValue));
  const documented = candidates.filter(([, values]) =>
    [...values].some((value) => ["partial", "failed"].includes(String(value).toLowerCase())),
  );
  const texts = candidates.filter(([, values]) => [...values].every((value) => typeof value === "string"));
  const [[key] = [], ...others] = documented.length > 0 ? documented : texts.length > 0 ? texts : candidates;
  return key !== undefined && others.length === 0 ? parsePlace(key) : undefined;
}
