import { findAliases } from "../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations.ts";
import { editDistance } from "../../src/domain/text.ts";

/** The route whose path is most like this one, as `METHOD path`; null when none is similar enough. */
export function findClosestRoute(path: string): string | null {
  const routes = ALL_OPERATIONS.flatMap(({ id, method, path: canonical, legacyPath }) =>
    [canonical, legacyPath ?? [], findAliases(id).map((alias) => alias.path)].flat(2).map((template) => ({
      name: `${method} ${template}`,
      distance: routeDistance(fillPlaceholders(template, path), path),
    })),
  );
  const [best] = routes.sort((one, other) => one.distance - other.distance);
  return best && best.distance <= path.length / 2 ? best.name : null;
}

/** A route with something appended counts as that route, however much is appended. */
const routeDistance = (route: string, path: string): number =>
  path.startsWith(`${route}/`) ? 1 : editDistance(path, route);

/** Puts the caller's own words in place of the placeholders, so that these cost nothing. */
function fillPlaceholders(template: string, path: string): string {
  const words = path.slice(0, 500).split("/");
  return template
    .split("/")
    .map((segment, index) => (segment.startsWith("{") ? (words[index] ?? "") : segment))
    .join("/");
}
