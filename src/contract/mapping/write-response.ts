import { type Fields, isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
import { type SentPage, writePaging } from "./paging.ts";
import { pathOf, putAtPath, withoutPaths } from "./path.ts";
import { createRecordMapper } from "./record.ts";
import { findResource, type Resource } from "./resources.ts";

const { submit, resume } = OPERATIONS.diligence;

/** The body is undefined if there is none. */
interface Response {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** contract → service, the inverse of `ResponseReader` for what is mapped. @param page of a list */
export function writeResponse(
  mapping: Mapping,
  operation: Operation,
  { headers, body }: Response,
  page: SentPage,
): Response {
  const resource = findResource(operation);
  if (!resource || !isRecord(body)) return { headers, body };
  if (resource.isList) return writePage(mapping, resource, { headers, body }, page);
  const written = { ...headers };
  const header = findHeaderName(mapping["submitted.id"] ?? "");
  // The last segment of `Location` is the id, in the contract too.
  if (resource.name === "submitted" && header !== null && header !== "location")
    written[header] = encodeURIComponent(String(body.jobId));
  if (hasEmptyBody(mapping, operation)) return { headers: written, body: undefined };
  return { headers: written, body: createRecordMapper(mapping, resource).write(body) };
}

function hasEmptyBody(mapping: Mapping, { id }: Operation): boolean {
  if (id === submit.id) return mapping["submitted.body"] === "none";
  if (id === resume.id) return mapping["resume.body"] === "none";
  return false;
}

/** Writes one page of a list, and what its headers say of the next one. */
function writePage(
  mapping: Mapping,
  resource: Resource,
  { headers, body }: Response & { readonly body: Fields },
  page: SentPage,
): Response {
  const { data, nextCursor, ...others } = body;
  const { path, isById } = findItemsLine(mapping, resource.name) ?? { path: pathOf("data"), isById: false };
  const mapper = createRecordMapper(mapping, resource);
  const records = data as readonly Fields[];
  const items = records.map((record) => mapper.write(record));
  const rows = isById
    ? Object.fromEntries(records.map(({ id }, index) => [String(id), items[index]]))
    : items;
  const document = path.length === 0 ? null : withoutPaths(others, [path]);
  if (document) putAtPath(document, path, rows);
  const written = { ...headers };
  const paging = findPaging(mapping, resource);
  if (paging !== undefined && paging !== "link") delete written.Link;
  writePaging(paging, document, written, (nextCursor ?? null) as string | null, page);
  return { headers: written, body: document ?? rows };
}
