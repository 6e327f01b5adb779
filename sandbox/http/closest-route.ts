import { findAliases } from "../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations.ts";
import { findClosest } from "../../src/domain/text.ts";

/** The route whose path is the most similar to this one, as `METHOD path`; null when none is near enough. */
export function findClosestRoute(path: string): string | null {
  const routes = new Map<string, string>();
  for (const { id, method, path: canonical, legacyPath } of ALL_OPERATIONS)
    for (const template of [canonical, legacyPath, ...findAliases(id).map((alias) => alias.path)]) {
      const filled = template && fillPlaceholders(template, path);
      if (filled && !routes.has(filled)) routes.set(filled, `${method} ${template}`);
    }
  const parent = [...routes.keys()].find((route) => path.startsWith(`${route}/`));
  return routes.get(parent ?? findClosest(path, routes.keys(), path.length / 2) ?? "") ?? null;
}

/** Puts the segments of the path in place of the placeholders; a missing segment costs a slash. */
function fillPlaceholders(template: string, path: string): string {
  const segments = path.slice(0, 500).split("/");
  return template
    .split("/")
    .map((segment, index) => (segment.startsWith("{") ? (segments[index] ?? "") : segment))
    .join("/");
}
