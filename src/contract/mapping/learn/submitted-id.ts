import { restoreDigits } from "../../../domain/json.ts";
import { MappingReader } from "../read.ts";
import { listLeaves } from "./leaves.ts";
import { couldBeId, rankId } from "./looks.ts";
import type { Observation } from "./port.ts";

export interface SubmittedId {
  /** A path, or `header:Location`. */
  readonly place: string;
  readonly id: string;
}

const SECRET_NAMES = /secret|token|password|signature/i;

/** The values of the response to a submission that could be the id of the job, each at its first place, the likely ones first. */
export function findSubmittedIds({ headers, json, text }: Observation): readonly SubmittedId[] {
  const inBody = listLeaves(json).flatMap(({ path, steps, value }) =>
    couldBeId(value) && !steps.some(({ name }) => SECRET_NAMES.test(name))
      ? [{ place: path, id: restoreDigits(String(value), text) }]
      : [],
  );
  const place = "header:Location";
  const segment = readSubmittedId({ headers, json, text, status: 0 }, place);
  const all = segment === null ? inBody : [...inBody, { place, id: segment }];
  const first = new Map<string, SubmittedId>();
  for (const found of all) {
    const key = found.id.toLowerCase();
    if (!first.has(key)) first.set(key, found);
  }
  return [...first.values()].toSorted((one, other) => rankId(one.id) - rankId(other.id));
}

/** The id at a place of the response to a submission; null if there is none. */
export function readSubmittedId({ headers, json: body, text }: Observation, place: string): string | null {
  const id = new MappingReader({ "submitted.id": place }).readSubmittedId({ headers, body }) ?? null;
  return id && restoreDigits(id, text);
}

/** The place of a value in a response; null if it is nowhere in the body. */
export const findPlaceOf = (document: unknown, id: string): string | null =>
  listLeaves(document).find(({ value }) => String(value).toLowerCase() === id.toLowerCase())?.path ?? null;
