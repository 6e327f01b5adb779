import type { HeaderList } from "../../domain/webhooks/headers.ts";
import { listRoutes, type OperationRoute } from "../routes.ts";

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

const toPattern = (template: string): RegExp =>
  new RegExp(`${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);

const countPlaceholders = ({ path }: OperationRoute): number => path.split("{").length;

/** Literal segments come first: `/portfolio/summary` is not a `{scanId}`. */
const ROUTES = listRoutes()
  .map((route) => ({ route, pattern: toPattern(route.path) }))
  .sort((one, other) => countPlaceholders(one.route) - countPlaceholders(other.route));

/** The route of the contract that a request went to; undefined for a request to something else. */
export function findRoute(method: string, path: string): OperationRoute | undefined {
  const [pathname = ""] = path.split(/[?#]/);
  return ROUTES.find(
    ({ route, pattern }) =>
      (route.methods as readonly string[]).includes(method.toUpperCase()) && pattern.test(pathname),
  )?.route;
}
