import type { FaultMatch } from "../../../src/domain/faults/fault.ts";

export interface MatchableRequest {
  readonly operation: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Makes a predicate of a rule's `match`, except `nth`: the caller counts. */
export function createMatcher({
  operation,
  path,
  method,
  header = {},
}: FaultMatch): (request: MatchableRequest) => boolean {
  const isPath = path === undefined ? null : createPathMatcher(path);
  const wanted = Object.entries(header).map(([name, value]) => [name.toLowerCase(), value] as const);
  return (request) =>
    (operation === undefined || request.operation === operation) &&
    (method === undefined || request.method === method) &&
    (isPath === null || isPath(request.path)) &&
    wanted.every(([name, value]) => {
      const given = request.headers[name];
      return value === true ? given !== undefined : given === value;
    });
}

/** Not a regular expression: with many stars, one could take very long not to match. */
function createPathMatcher(pattern: string): (path: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (path) => path === first;
  return (path) => {
    if (!path.startsWith(first)) return false;
    let from = first.length;
    for (const piece of rest) {
      const at = path.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return path.length - last.length >= from && path.endsWith(last);
  };
}
