import { listRoutes } from "../../src/contract/routes.ts";
import { editDistance } from "../../src/domain/text.ts";

/** Of the path; no route has as many. */
const MAX_SEGMENTS = 10;
const MAX_SEGMENT_LENGTH = 40;

/** The route whose segments are most like those of this path, as `METHOD path`; null when none is similar enough. */
export function findClosestRoute(method: string, path: string): string | null {
  const segments = splitPath(path).slice(0, MAX_SEGMENTS);
  const [best] = listRoutes()
    .flatMap(({ path: routePath, methods }) => methods.map((each) => ({ path: routePath, method: each })))
    .map((route) => ({ ...route, ...compareSegments(splitPath(route.path), segments) }))
    .filter(({ distance, letters }) => distance <= letters / 2)
    .sort(
      (one, other) =>
        one.distance - other.distance || Number(other.method === method) - Number(one.method === method),
    );
  return best ? `${best.method} ${best.path}` : null;
}

const splitPath = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((segment) => segment.slice(0, MAX_SEGMENT_LENGTH));

/** Pairs the most similar segments first. `distance` is the letters to change; `letters` are those of the route. */
function compareSegments(route: readonly string[], path: readonly string[]) {
  const words = route.filter((segment) => !segment.startsWith("{"));
  const letters = words.join("").length;
  const placeholders = route.length - words.length;
  const rest = [...path];
  let distance = 0;
  const pairs = words
    .flatMap((word) => path.map((segment) => ({ word, segment, cost: editDistance(segment, word) })))
    .filter(({ word, cost }) => cost < word.length)
    .sort((one, other) => one.cost - other.cost);
  for (const { word, segment, cost } of pairs) {
    if (!words.includes(word) || !rest.includes(segment)) continue;
    words.splice(words.indexOf(word), 1);
    rest.splice(rest.indexOf(segment), 1);
    distance += cost;
  }
  // A route with something appended is similar to that route, however much is appended.
  const unpaired = Math.min(2, Math.abs(rest.length - placeholders));
  return { distance: distance + words.join("").length + unpaired, letters };
}
