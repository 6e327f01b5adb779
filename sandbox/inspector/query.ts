import { MAX_SEARCH_LENGTH } from "../../src/pages/filters.tsx";

/** The parameter, if it is one of the values; any other one counts as absent. */
export const readChoice = <const T extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined => values.find((value) => value === query.get(name));

export const readSearch = (query: URLSearchParams): string =>
  (query.get("q") ?? "").trim().slice(0, MAX_SEARCH_LENGTH);

/** Reads the number of the row where a list continues. */
export function readPlace(query: URLSearchParams, name: "before" | "after"): number | null {
  const value = query.get(name) ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Equal lines in a row are one, unless the reader wants each of them. */
export const isFolded = (query: URLSearchParams): boolean => query.get("fold") !== "no";

/** Divides lines into runs of equal ones. */
export function groupRuns<Line>(lines: readonly Line[], isEqual: (one: Line, other: Line) => boolean) {
  const runs: [Line, ...Line[]][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run && isEqual(run[0], line)) run.push(line);
    else runs.push([line]);
  }
  return runs;
}
