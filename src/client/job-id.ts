import { status } from "../contract/operations/diligence.ts";
import { isTooDeep, valueAt } from "../domain/json.ts";
import { readLastSegment } from "../domain/links.ts";
import { UUID } from "../domain/uuid.ts";

const STATUS_ROUTE = new RegExp(`(?:${status.path}|${status.legacyPath})/?$`.replaceAll("{jobId}", "[^/]+"));

/**
 * Finds the job id in the response to a submission. The interface leaves the name of its field open (§4), so this tries the
 * usual names, then a `Location` that ends in a UUID or is the status route (product.md §4, *Job id*).
 *
 * @param path a dotted path to the field, instead of the usual names
 */
export function findJobId(body: unknown, location = "", path?: string): string | null {
  if (path !== undefined) return readId(body, path);
  for (const candidate of ["jobId", "job_id", "id", "job.id"]) {
    const id = readId(body, candidate);
    if (id !== null) return id;
  }
  const segment = readLastSegment(location);
  const isJob = UUID.test(segment ?? "") || STATUS_ROUTE.test(location.replace(/[?#].*$/s, ""));
  return isJob ? segment : null;
}

/** The default of a UUID in many languages, and nobody's id (RFC 9562 §5.9). */
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

function readId(body: unknown, path: string): string | null {
  const value = valueAt(body, path);
  const text = typeof value === "string" ? value.trim() : "";
  if (text !== "" && text !== NIL_UUID) return text;
  return typeof value === "number" ? String(value) : null;
}

export interface JobIdCandidate {
  /** A dotted path, as `--job-id-path` takes it. */
  readonly path: string;
  readonly id: string;
}

const OTHER_NAMES = /request|trace|correlation|event|partner|client|key/i;

/** The UUIDs of a response that may be the job id, each once: their names are not those of another id. */
export function listJobIdCandidates(body: unknown): readonly JobIdCandidate[] {
  const found = isTooDeep(body) ? [] : [...listTexts(body, "")];
  const uuids = found.filter(({ path, id }) => UUID.test(id) && id !== NIL_UUID && !OTHER_NAMES.test(path));
  return [...new Map(uuids.map((candidate) => [candidate.id.toLowerCase(), candidate])).values()];
}

function* listTexts(value: unknown, path: string): Generator<JobIdCandidate> {
  if (typeof value === "string") yield { path, id: value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* listTexts(inner, path ? `${path}.${name}` : name);
}
