import { aliasMethods, findAliases } from "./aliases.ts";
import { ALL_OPERATIONS } from "./operations.ts";

/** Every path of the service with each of its methods: canonical, compatibility and alias. */
export const listRoutes = (): readonly { readonly method: string; readonly path: string }[] =>
  ALL_OPERATIONS.flatMap((operation) => [
    ...[operation.path, operation.legacyPath ?? []]
      .flat()
      .map((path) => ({ method: operation.method, path })),
    ...findAliases(operation.id).flatMap(({ path }) =>
      aliasMethods(operation).map((method) => ({ method, path })),
    ),
  ]);
