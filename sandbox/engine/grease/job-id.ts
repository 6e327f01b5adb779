import type { GreaseChoices } from "./choices.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The document with its job id elsewhere; the place `job.id` is for other documents than the job itself. */
export function moveJobId(
  document: Fields,
  place: GreaseChoices["jobIdField"],
  hasLocation: boolean,
): Fields {
  const { jobId } = document;
  switch (place) {
    case null:
      return document;
    case "Location":
      return hasLocation ? omitField(document, "jobId") : document;
    case "job.id":
      return replaceField(document, "jobId", ["job", { id: jobId }]);
    default:
      return replaceField(document, "jobId", [place, jobId]);
  }
}

/** With another field in the place of `name`. */
export const replaceField = (document: Fields, name: string, other: readonly [string, unknown]): Fields =>
  Object.fromEntries(Object.entries(document).map((field) => (field[0] === name ? other : field)));

const omitField = (document: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(document).filter(([field]) => field !== name));
