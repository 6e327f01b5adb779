import { findClosest } from "../domain/text.ts";
import { aliasMethods, type BrokerAlias, findAliases } from "./aliases.ts";
import type { Operation } from "./operations/operation.ts";
import { ALL_OPERATIONS } from "./operations/operations.ts";

export interface OperationRoute {
  readonly operation: Operation;
  readonly path: string;
  readonly methods: readonly Operation["method"][];
  /** The compatibility path, which also takes X-API-Key (interface §5.2). */
  readonly isLegacy: boolean;
  readonly alias: BrokerAlias | null;
}

export function listRoutesOf(operation: Operation): OperationRoute[] {
  const { id, method, path, legacyPath } = operation;
  const own = { operation, methods: [method], isLegacy: false, alias: null };
  return [
    { ...own, path },
    ...(legacyPath ? [{ ...own, path: legacyPath, isLegacy: true }] : []),
    ...findAliases(id).map((alias) => ({
      ...own,
      path: alias.path,
      alias,
      methods: aliasMethods(operation),
    })),
  ];
}

export const listRoutes = (): readonly OperationRoute[] => ALL_OPERATIONS.flatMap(listRoutesOf);

/** The route that is nearest to a path: what stands for its parameters is no typing error. */
export function findClosestPath(given: string): string | null {
  // Of two that differ in a parameter, the one without it.
  const paths = listRoutes().map(({ path }) => path);
  paths.sort((one, other) => other.length - one.length);
  const bare = new Map(paths.map((path) => [path.replace(/\/\{\w+\}/g, ""), path]));
  return bare.get(findClosest(given, [...bare.keys()], given.length / 2) ?? "") ?? null;
}
