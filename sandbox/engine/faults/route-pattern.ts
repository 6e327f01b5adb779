import { listRoutes } from "../../../src/contract/routes.ts";

/** Whether a path with `*` can match a path of the service. */
export const matchesSomeRoute = (pattern: string): boolean =>
  listRoutes().some(({ path }) => overlaps(pattern, path.split(/(\{\w+\})/).filter(Boolean)));

/** Whether some text matches both: `*` stands for any characters, and a parameter such as `{jobId}` for some without a slash. */
function overlaps(pattern: string, template: readonly string[]): boolean {
  const letters = template.flatMap((part) =>
    part.startsWith("{") ? [PARAMETER, REPEATED_PARAMETER] : [...part],
  );
  const known = new Map<number, boolean>();
  const visit = (at: number, letter: number): boolean => {
    const key = at * (letters.length + 1) + letter;
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, false);
    const result = step(at, letter);
    known.set(key, result);
    return result;
  };
  const step = (at: number, letter: number): boolean => {
    const wanted = letters[letter];
    if (at === pattern.length)
      return wanted === undefined || (wanted === REPEATED_PARAMETER && visit(at, letter + 1));
    const given = pattern[at];
    if (given === "*") return visit(at + 1, letter) || (wanted !== undefined && visit(at, letter + 1));
    if (wanted === REPEATED_PARAMETER)
      return (given !== "/" && visit(at + 1, letter)) || visit(at, letter + 1);
    if (wanted === PARAMETER) return given !== "/" && visit(at + 1, letter + 1);
    return given === wanted && visit(at + 1, letter + 1);
  };
  return visit(0, 0);
}

/** The first character of a parameter, and the others. */
const PARAMETER = "{";
const REPEATED_PARAMETER = "{…}";
