import { groupBy } from "../../../domain/group-by.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { MappingReader } from "../read.ts";
import type { LearnedLines } from "./lines.ts";
import { isSuccess, type LearningPort, type Observation } from "./port.ts";
import { couldBeId, findPlaceOf, listLeaves, makeUnknownId, rankId } from "./values.ts";

export interface SubmittedId {
  /** A path, or `header:Location`. */
  readonly place: string;
  readonly id: string;
}

const SECRET_NAMES = /secret|token|password|signature/i;

/** The values of the response to a submission that could be the id of the job, each at its first place, the likely ones first. */
export function findSubmittedIds({ headers, json }: Observation): readonly SubmittedId[] {
  const inBody = listLeaves(json).flatMap(({ path, steps, value }) =>
    couldBeId(value) && !steps.some(({ name }) => SECRET_NAMES.test(name))
      ? [{ place: path, id: String(value) }]
      : [],
  );
  const place = "header:Location";
  const segment = readSubmittedId({ headers, json }, place);
  const all = segment === null ? inBody : [...inBody, { place, id: segment }];
  const firstPlaces = [...groupBy(all, ({ id }) => id.toLowerCase()).values()].flatMap(
    ([first]) => first ?? [],
  );
  return firstPlaces.toSorted((one, other) => rankId(one.id) - rankId(other.id));
}

/** The id at a place of the response to a submission; null if there is none. */
export const readSubmittedId = (
  { headers, json: body }: Pick<Observation, "headers" | "json">,
  place: string,
): string | null => new MappingReader({ "submitted.id": place }).readSubmittedId({ headers, body }) ?? null;

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
    const isProved = proved.length === 1;
    await lines.settle(
      "submitted.id",
      `Which of these is the id of the job of ${file}?`,
      (isProved ? proved : candidates).map(({ id, place }) => ({ value: place, shows: id })),
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
  const read = (jobId: string) => port.try({ operation: OPERATIONS.diligence.status, params: { jobId } });
  const isAnyRead = isSuccess(await read(makeUnknownId(first.id)));
  const proved: SubmittedId[] = [];
  for (const candidate of candidates) {
    const response = await read(candidate.id);
    if (isSuccess(response) && !(isAnyRead && findPlaceOf(response.json, candidate.id) === null))
      proved.push(candidate);
  }
  return proved;
}
