import { listRoutes } from "../../../src/contract/routes.ts";

/** A parameter such as `{jobId}` stands for a character without a slash, and any number of further ones. */
const FIRST = "{";
const MORE = "}";

/** Whether a path with `*` can match a path of the service. */
export const matchesSomeRoute = (pattern: string): boolean =>
  listRoutes().some(({ path }) => overlaps(pattern, path.replace(/\{\w+\}/g, FIRST + MORE)));

/** Whether some text matches both. A place has an index in each, and where both end, the whole text was read. */
function overlaps(pattern: string, template: string): boolean {
  const width = template.length + 1;
  const places = new Set([0]);
  // The loop also comes to the places that are added in it.
  for (const place of places) {
    const given = pattern[Math.floor(place / width)];
    const wanted = template[place % width];
    if (given === undefined && wanted === undefined) return true;
    const isInSegment = given !== undefined && given !== "/";
    if (given === "*" || (wanted === MORE && isInSegment)) places.add(place + width);
    if (wanted === MORE || (given === "*" && wanted !== undefined)) places.add(place + 1);
    if (given !== undefined && (given === wanted || (wanted === FIRST && isInSegment)))
      places.add(place + width + 1);
  }
  return false;
}
