import { createMappingReader } from "../read.ts";
import { listLeaves } from "./leaves.ts";
import { couldBeId, rankId } from "./looks.ts";
import type { Observation } from "./port.ts";

export interface SubmittedId {
  /** A path, `header:Location` or `link:REL`. */
  readonly place: string;
  readonly id: string;
}

const SECRET_NAMES = /secret|token|password|signature/i;

/** Each is a request. */
const MAX_CANDIDATES = 5;

/** The values of the response to a submission that could be the id of the job, each at its first place. */
export function findSubmittedIds(
  { headers, json, text }: Observation,
  wasSent: (id: string) => boolean,
): readonly SubmittedId[] {
  const inBody = listLeaves(json).flatMap(({ path, steps, value }) =>
    couldBeId(value) && !steps.some(({ name }) => SECRET_NAMES.test(name))
      ? [{ place: path, id: restoreDigits(String(value), text) }]
      : [],
  );
  const outside = ["header:Location", ...listRelations(headers.link ?? "").map((name) => `link:${name}`)];
  const inHeaders = outside.flatMap((place) => {
    const id = readSubmittedId({ headers, json, text, status: 0 }, place);
    return id === null ? [] : [{ place, id }];
  });
  const all = [...inBody, ...inHeaders];
  const first = new Map<string, SubmittedId>();
  for (const found of all) {
    const key = found.id.toLowerCase();
    if (!first.has(key) && !wasSent(found.id)) first.set(key, found);
  }
  return [...first.values()]
    .toSorted((one, other) => rankId(one.id) - rankId(other.id))
    .slice(0, MAX_CANDIDATES);
}

/** The id at a place of the response to a submission; null if there is none. */
export function readSubmittedId({ headers, json: body, text }: Observation, place: string): string | null {
  const id = createMappingReader({ "submitted.id": place }).readSubmittedId({ headers, body }) ?? null;
  return id && restoreDigits(id, text);
}

const listRelations = (header: string): readonly string[] =>
  [...header.matchAll(/;\s*rel="?([\w-]+)/gi)].map(([, name = ""]) => name);

/** `JSON.parse` rounds integers beyond 15 digits. */
const restoreDigits = (id: string, json: string): string =>
  json.match(/\d{16,}/g)?.find((digits) => String(Number(digits)) === id) ?? id;

/** The place of a value in a response; null if it is nowhere in the body. */
export const findPlaceOf = (document: unknown, id: string): string | null =>
  listLeaves(document).find(({ value }) => String(value).toLowerCase() === id.toLowerCase())?.path ?? null;
