import type { HeaderList } from "../../domain/webhooks/headers.ts";
import { aliasMethods, findAliases } from "../aliases.ts";
import type { Operation } from "../operation.ts";
import { ALL_OPERATIONS } from "../operations.ts";

/** A request and its response, from the client or from a recording. */
export interface Exchange {
  readonly method: string;
  /** Path and query; a prefix before the path of the service is ignored. */
  readonly path: string;
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface MatchedRoute {
  readonly operation: Operation;
  /** The path with its placeholders. */
  readonly template: string;
}

const toPattern = (template: string): RegExp =>
  new RegExp(`${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);

/** Literal segments come first: `/portfolio/summary` is not a `{scanId}`. */
const ROUTES = ALL_OPERATIONS.flatMap((operation) => [
  ...[operation.path, operation.legacyPath ?? []]
    .flat()
    .map((template) => ({ operation, template, methods: [operation.method] })),
  ...findAliases(operation.id).map(({ path }) => ({
    operation,
    template: path,
    methods: aliasMethods(operation),
  })),
])
  .map((route) => ({ ...route, pattern: toPattern(route.template) }))
  .sort((one, other) => one.template.split("{").length - other.template.split("{").length);

/** The route of the contract that a request went to; undefined for a request to something else. */
export function findRoute(method: string, path: string): MatchedRoute | undefined {
  const [pathname = ""] = path.split(/[?#]/);
  return ROUTES.find(
    ({ methods, pattern }) =>
      (methods as readonly string[]).includes(method.toUpperCase()) && pattern.test(pathname),
  );
}
