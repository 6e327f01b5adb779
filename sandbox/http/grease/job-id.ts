import type { Choices } from "../../engine/grease/choices.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The document with its job id elsewhere; the place `job.id` is for other documents than the job itself. */
export function movedJobId(document: Fields, place: Choices["jobIdField"], hasLocation: boolean): Fields {
  const { jobId } = document;
  switch (place) {
    case null:
      return document;
    case "Location":
      return hasLocation ? without(document, "jobId") : document;
    case "job.id":
      return renamed(document, "jobId", ["job", { id: jobId }]);
    default:
      return renamed(document, "jobId", [place, jobId]);
  }
}

/** With another field in the place of `name`. */
export const renamed = (document: Fields, name: string, other: readonly [string, unknown]): Fields =>
  Object.fromEntries(Object.entries(document).map((field) => (field[0] === name ? other : field)));

const without = (document: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(document).filter(([field]) => field !== name));
