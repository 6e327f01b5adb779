import { status } from "../contract/operations/diligence.ts";
import { isTooDeep, valueAt } from "../domain/json.ts";
import { readLastSegment } from "../domain/links.ts";
import { UUID } from "../domain/uuid.ts";

const STATUS_ROUTE = new RegExp(`(?:${status.path}|${status.legacyPath})/?$`.replaceAll("{jobId}", "[^/]+"));

/**
 * Finds the job id in the response to a submission. The interface leaves the name of its field open (§4), so this tries the
 * usual names, then a `Location` that ends in a UUID or is the status route (product.md §4, *Job id*). An `id` may be that of
 * an envelope or an event: it is none if the response has another id as `jobId`, or in its status route.
 *
 * @param path a dotted path to the field, instead of the usual names
 */
export function findJobId(body: unknown, location = "", path?: string): string | null {
  if (path !== undefined) return readId(body, path);
  const named = readId(body, "jobId") ?? readId(body, "job_id");
  if (named !== null) return named;
  const found = readId(body, "id") ?? readId(body, "job.id") ?? readLocation(location);
  const certain = [...listNamedIds(body), isStatusRoute(location) ? readLocation(location) : null];
  const isContradicted = certain.some((id) => id !== null && id.toLowerCase() !== found?.toLowerCase());
  return isContradicted ? null : found;
}

function readLocation(location: string): string | null {
  const segment = readLastSegment(location);
  return UUID.test(segment ?? "") || isStatusRoute(location) ? segment : null;
}

const isStatusRoute = (location: string): boolean => STATUS_ROUTE.test(location.replace(/[?#].*$/s, ""));

const listNamedIds = (body: unknown): readonly string[] =>
  listValues(body)
    .filter(({ path, id }) => /(^|\.)job_?id$/i.test(path) && id !== NIL_UUID)
    .map(({ id }) => id);

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
export function listJobIdCandidates(body: unknown, location = ""): readonly JobIdCandidate[] {
  const ofLocation = readLocation(location);
  const all = [
    ...listValues(body),
    ...(ofLocation === null ? [] : [{ path: "header:Location", id: ofLocation }]),
  ];
  const uuids = all.filter(({ path, id }) => UUID.test(id) && id !== NIL_UUID && !OTHER_NAMES.test(path));
  return [...new Map(uuids.map((candidate) => [candidate.id.toLowerCase(), candidate])).values()];
}

const listValues = (body: unknown): readonly JobIdCandidate[] =>
  isTooDeep(body) ? [] : [...findValues(body, "")];

function* findValues(value: unknown, path: string): Generator<JobIdCandidate> {
  if (typeof value === "string" || typeof value === "number") yield { path, id: String(value).trim() };
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* findValues(inner, path ? `${path}.${name}` : name);
}
