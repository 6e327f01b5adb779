import { categorizeState, JOB_STATES, type JobState } from "../../../domain/diligence/states.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatPlace, type Place, parsePlace, valueAtPlace } from "../places.ts";
import type { DerivedFields, OpenPoint, Row } from "../service-form.ts";
import { hasOnlyCommonWords } from "./common-words.ts";
import { isIdentifier, listLeaves, openPoint } from "./samples.ts";
import { findValueForm } from "./value-forms.ts";

/** The records of one job in the order of the polls. */
export interface JobHistory {
  readonly records: readonly unknown[];
  readonly hasReport: boolean;
}

interface LearnedState {
  readonly row?: Row;
  readonly derived?: DerivedFields;
  readonly finished?: Place | undefined;
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
  const byPlace = groupByPlace(jobs, place, words);
  const derived = learnDerived(byPlace, place);
  const finished = findFinished(byPlace);
  return { ...((at !== "state" || renamed.length > 0) && { row }), derived, finished, place, open };
}

interface FieldByState {
  readonly place: Place;
  readonly values: Map<JobState, Set<unknown>>;
}

/** What each field of the polled records had in each state. */
function groupByPlace(
  jobs: readonly JobHistory[],
  place: Place,
  words: ReadonlyMap<JobState, string | number>,
): FieldByState[] {
  const states = new Map([...words].map(([own, theirs]) => [theirs, own]));
  const found = new Map<string, FieldByState>();
  for (const record of jobs.flatMap((job) => job.records)) {
    const state = states.get(valueAtPlace(record, place) as string);
    for (const leaf of state === undefined ? [] : listLeaves(record)) {
      const key = formatPlace(leaf.place);
      const field = found.get(key) ?? { place: leaf.place, values: new Map() };
      found.set(key, field);
      field.values.set(state as JobState, (field.values.get(state as JobState) ?? new Set()).add(leaf.value));
    }
  }
  return [...found.values()];
}

/** Fields that have one value for each of four or more states: a number, a flag, or common words. */
function learnDerived(fields: readonly FieldByState[], state: Place): DerivedFields {
  const all = fields.flatMap(({ place, values }) => {
    const pairs = [...values].flatMap(([word, [value, ...others]]) =>
      others.length > 0 ? [] : [[word, value]],
    );
    const isKnown =
      pairs.length === values.size && pairs.length > 3 && isDecided(pairs.map(([, value]) => value));
    const isNamed = formatPlace(place) !== formatPlace(state) && place.every(isIdentifier);
    return isKnown && isNamed
      ? [[formatPlace(place), { from: "state", words: Object.fromEntries(pairs) }]]
      : [];
  });
  return Object.fromEntries(all);
}

/** The only time that is null before the end of a job and there after it. */
function findFinished(fields: readonly FieldByState[]): Place | undefined {
  const isTime = (value: unknown) => value !== null && findValueForm("time", [value]) !== undefined;
  const found = fields.filter(({ values }) => {
    const isEnd = (state: JobState) => ["completed", "partial", "failed"].includes(state);
    const [before, after] = [false, true].map((end) =>
      [...values].flatMap(([state, seen]) => (isEnd(state) === end ? [...seen] : [])),
    );
    return before?.length && before.every((value) => value === null) && after?.length && after.every(isTime);
  });
  return found.length === 1 ? found[0]?.place : undefined;
}

const isDecided = (values: readonly unknown[]): boolean => {
  const count = new Set(values).size;
  if (values.every((value) => typeof value === "boolean")) return count === 2;
  const isShort = (value: unknown) =>
    typeof value === "string" ? hasOnlyCommonWords(value) : isStateValue(value);
  return count === values.length && values.every(isShort);
};

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
