import { findAliases } from "../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations.ts";
import { editDistance } from "../../src/domain/text.ts";

/** The route whose path looks most like this one, as `METHOD path`; null when none is near enough to be meant. */
export function findClosestRoute(path: string): string | null {
  const routes = ALL_OPERATIONS.flatMap(({ id, method, path: canonical, legacyPath }) =>
    [canonical, legacyPath, ...findAliases(id).map((alias) => alias.path)].flatMap((template) =>
      template ? [{ method, template }] : [],
    ),
  );
  const ranked = routes
    .map((route) => ({ ...route, distance: routeDistance(fillPlaceholders(route.template, path), path) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= path.length / 2 ? `${best.method} ${best.template}` : null;
}

/** Whoever writes something behind a route means that route, however long it is what he writes. */
const routeDistance = (route: string, path: string): number =>
  path.startsWith(`${route}/`) ? 1 : editDistance(path, route);

/** A placeholder is as right as whatever the caller has there, and costs a slash when nothing is there. */
function fillPlaceholders(template: string, path: string): string {
  const given = path.slice(0, 500).split("/");
  return template
    .split("/")
    .map((segment, index) => (segment.startsWith("{") ? (given[index] ?? "") : segment))
    .join("/");
}
