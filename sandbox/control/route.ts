import type { Context } from "koa";
import type { Engine } from "../engine/engine.ts";
import type { Snapshots } from "../engine/snapshots/snapshots.ts";

export interface ControlOptions {
  readonly token: string;
  /** The address that the sandbox listens on. */
  readonly host: string;
  readonly onShutdownRequested: () => void;
  readonly snapshots: Snapshots;
}

/** A request to a control route, and what it may work with. */
export interface ControlCall {
  readonly ctx: Context;
  /** What stands in the path where the route has a `:name`. */
  readonly params: Readonly<Record<string, string>>;
  readonly engine: Engine;
  readonly options: ControlOptions;
}

/** One row of the control API. */
export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "ANY";
  /** Below `/_sandbox`, as in `/sinks/:name`. */
  readonly path: string;
  /** What it does, for the README. */
  readonly summary: string;
  /** Without the control token. */
  readonly isPublic?: true;
  /** What is answered as JSON; null where it has answered by itself. */
  readonly handle: (call: ControlCall) => object | null | Promise<object | null>;
}

/** A row whose path a request has, and the values of its `:names`. */
export interface RouteMatch {
  readonly route: ControlRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Every row that has this path, whatever its method. */
export const routesAt = (routes: readonly ControlRoute[], path: string): RouteMatch[] =>
  routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params ? [{ route, params }] : [];
  });

function matchPath(template: string, path: string): Record<string, string> | null {
  const templateSegments = template.split("/");
  const pathSegments = path.split("/");
  if (templateSegments.length !== pathSegments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, word] of templateSegments.entries()) {
    const part = decodeSegment(pathSegments[index] ?? "");
    if (word.startsWith(":") && part) params[word.slice(1)] = part;
    else if (word !== part) return null;
  }
  return params;
}

/** Null for a part whose percent-encoding is broken: it is on no route. */
function decodeSegment(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** RFC 9110 §9.3.2: HEAD is GET without the content, which Koa leaves out. */
export const methodsOf = ({ method }: ControlRoute): readonly string[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];
