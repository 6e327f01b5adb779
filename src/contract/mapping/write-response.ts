import { type Fields, isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
import { type SentPage, writePaging } from "./paging.ts";
import { pathOf, putAtPath, withoutPaths } from "./path.ts";
import { createRecordMapper } from "./record.ts";
import { findResource, type Resource } from "./subjects.ts";

const { submit, resume } = OPERATIONS.diligence;

/** A response as the service sends it: the body is undefined if there is none. */
interface SentResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** contract → service, the inverse of `ResponseReader` for what is mapped. @param page of a list */
export function writeResponse(
  mapping: Mapping,
  operation: Operation,
  { headers, body }: SentResponse,
  page: SentPage,
): SentResponse {
  const resource = findResource(operation);
  if (!resource || !isRecord(body)) return { headers, body };
  const sent = { ...headers };
  if (resource.isList) return { headers: sent, body: writePage(mapping, resource, body, sent, page) };
  const header = findHeaderName(mapping["submitted.id"] ?? "");
  // The last segment of `Location` is the id, in the contract too.
  if (resource.name === "submitted" && header !== null && header !== "location")
    sent[header] = encodeURIComponent(String(body.jobId));
  const emptyLine = { [submit.id]: "submitted.body", [resume.id]: "resume.body" }[operation.id];
  const isEmpty = emptyLine !== undefined && mapping[emptyLine] === "none";
  return { headers: sent, body: isEmpty ? undefined : createRecordMapper(mapping, resource).write(body) };
}

/** Writes one page of a list, and what its headers say of the next one. */
function writePage(
  mapping: Mapping,
  resource: Resource,
  { data, nextCursor, ...others }: Fields,
  headers: Record<string, string>,
  page: SentPage,
): unknown {
  const { path, isById } = findItemsLine(mapping, resource.name) ?? { path: pathOf("data"), isById: false };
  const mapper = createRecordMapper(mapping, resource);
  const records = data as readonly Fields[];
  const items = records.map((record) => mapper.write(record));
  const rows = isById
    ? Object.fromEntries(records.map(({ id }, index) => [String(id), items[index]]))
    : items;
  const paging = findPaging(mapping, resource);
  if (paging !== undefined && paging !== "link") delete headers.Link;
  const document = path.length === 0 ? null : withoutPaths(others, [path]);
  if (document) putAtPath(document, path, rows);
  writePaging(paging, document, headers, (nextCursor ?? null) as string | null, page);
  return document ?? rows;
}
