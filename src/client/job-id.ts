import { valueAt } from "../domain/json.ts";

/**
 * Finds the job id in an answer to a submission. The interface promises that it is there and leaves the name of the
 * field open (§4), so the usual names are tried in turn, then `Location` (product.md §4).
 *
 * @param path a dotted path that names the field, instead of all that
 */
export function findJobId(body: unknown, location: string | undefined, path?: string): string | null {
  if (path !== undefined) return readId(body, path);
  for (const candidate of ["jobId", "job_id", "id", "job.id"]) {
    const id = readId(body, candidate);
    if (id !== null) return id;
  }
  const segment = location
    ?.replace(/[?#].*$/, "")
    .split("/")
    .filter(Boolean)
    .at(-1);
  return segment ? decodeSegment(segment) : null;
}

/** A segment that is not percent-encoded text is taken as it stands. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function readId(body: unknown, path: string): string | null {
  const value = valueAt(body, path);
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : null;
}
