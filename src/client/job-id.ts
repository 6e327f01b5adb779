import { valueAt } from "../domain/json.ts";

/**
 * Finds the job id in the response to a submission. The interface leaves the name of its field open (§4), so this tries the
 * usual names, then `Location` (product.md §4).
 *
 * @param path a dotted path to the field, instead of the usual names
 */
export function findJobId(body: unknown, location = "", path?: string): string | null {
  if (path !== undefined) return readId(body, path);
  for (const candidate of ["jobId", "job_id", "id", "job.id"]) {
    const id = readId(body, candidate);
    if (id !== null) return id;
  }
  const [pathOfJob = ""] = location.split(/[?#]/);
  const segment = pathOfJob.split("/").findLast(Boolean) ?? "";
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    // It is not percent-encoded.
    return segment;
  }
}

function readId(body: unknown, path: string): string | null {
  const value = valueAt(body, path);
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : null;
}
