import { isRecord } from "../../../domain/json.ts";

/** A job with a report has ended once its state has stayed the same for so many polls (product.md §10). */
export const POLLS_OF_AN_END = 3;

const WORD = /^[a-z]{1,20}(?:[ _-][a-z]{1,20}){0,3}$/i;

/** The word of the state in the last of several records of one job: in the one place that changed. Null if no place is known. */
export function findState(records: readonly unknown[]): string | null {
  const places = new Map<string, unknown[]>();
  for (const record of records)
    for (const [place, value] of listValues(record)) places.set(place, [...(places.get(place) ?? []), value]);
  const changed = [...places.values()].filter(
    (values) => new Set(values).size > 1 && values.every(isStateValue),
  );
  const isText = (values: readonly unknown[]) => values.every((value) => typeof value === "string");
  const isDocumented = (values: readonly unknown[]) =>
    values.some((value) => /^(partial|failed)$/i.test(String(value)));
  const [candidates = []] = [changed.filter(isDocumented), changed.filter(isText), changed].filter(
    ({ length }) => length > 0,
  );
  const [values] = candidates;
  return values && candidates.length === 1 ? String(values.at(-1)) : null;
}

const isStateValue = (value: unknown): boolean =>
  typeof value === "string" ? WORD.test(value) : Number.isInteger(value) && Number(value) < 1000;

/** The values of a record and of the objects in it, with their places. */
function* listValues(value: unknown, place = ""): Generator<readonly [place: string, value: unknown]> {
  if (!isRecord(value)) yield [place, value];
  else for (const [name, inner] of Object.entries(value)) yield* listValues(inner, `${place}/${name}`);
}
