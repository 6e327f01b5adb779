import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
import { type SentPage, writePaging } from "./paging.ts";
import { pathOf, putAtPath, setField, withoutPaths } from "./path.ts";
import { createRecordMapper, type Fields } from "./record.ts";
import { findSubject } from "./subjects.ts";

const { submit, resume } = OPERATIONS.diligence;

/** A response as the service sends it: the body is undefined if there is none. */
export interface SentResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** contract → service, the inverse of `ResponseReader.read` for what is mapped. */
export function writeRecord(
  mapping: Mapping,
  operation: Operation,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): SentResponse {
  const subject = findSubject(operation);
  if (!subject || !isRecord(body)) return { headers, body };
  const emptyLine = { [submit.id]: "submitted.body", [resume.id]: "resume.body" }[operation.id];
  const isEmpty = emptyLine !== undefined && mapping[emptyLine] === "none";
  const sent = { ...headers };
  const header = findHeaderName(mapping["submitted.id"] ?? "");
  // The last segment of `Location` is the id, in the contract too.
  if (subject.name === "submitted" && header !== null && header !== "location")
    sent[header] = encodeURIComponent(String(body.jobId));
  return { headers: sent, body: isEmpty ? undefined : createRecordMapper(mapping, subject).write(body) };
}

/** Writes one page of a list. */
export function writePage(
  mapping: Mapping,
  operation: Operation,
  body: Fields,
  headers: Readonly<Record<string, string>>,
  page: SentPage,
): SentResponse {
  const subject = findSubject(operation);
  const { data, nextCursor: _, ...others } = body;
  if (!subject || !Array.isArray(data)) return { headers, body };
  const { path, isById } = findItemsLine(mapping, subject.name) ?? { path: pathOf("data"), isById: false };
  const mapper = createRecordMapper(mapping, subject);
  const items = data.map((record) => mapper.write(record));
  const byId: Record<string, unknown> = {};
  for (const [index, { id }] of data.entries()) setField(byId, String(id), items[index]);
  const rows = isById ? byId : items;
  const paging = findPaging(mapping, subject);
  const sent = { ...headers };
  if (paging !== undefined && paging !== "link") delete sent.Link;
  const document = withoutPaths(others, [path]);
  const isBare = path.length === 0;
  if (!isBare) putAtPath(document, path, rows);
  writePaging(paging, isBare ? null : document, sent, page);
  return { headers: sent, body: isBare ? rows : document };
}
