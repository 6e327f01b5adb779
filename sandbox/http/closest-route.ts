import { ALL_OPERATIONS } from "../../src/contract/operations.ts";

/** The route whose path looks most like this one, as `METHOD path`; null when none is near enough to be meant. */
export function closestRoute(path: string): string | null {
  const routes = ALL_OPERATIONS.flatMap(({ method, path: canonical, legacyPath }) =>
    [canonical, legacyPath].flatMap((template) => (template ? [{ method, template }] : [])),
  );
  const ranked = routes
    .map((route) => ({ ...route, distance: editDistance(path, filledIn(route.template, path)) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= path.length / 2 ? `${best.method} ${best.template}` : null;
}

/** A placeholder is as right as whatever the caller has there, and costs a slash when nothing is there. */
function filledIn(template: string, path: string): string {
  const given = path.slice(0, 500).split("/");
  return template
    .split("/")
    .map((segment, index) => (segment.startsWith("{") ? (given[index] ?? "") : segment))
    .join("/");
}

/** Levenshtein's distance, one row at a time. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one.slice(0, 500)].entries()) {
    const next = [line + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
