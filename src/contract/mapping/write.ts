import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findItemsLine, findPaging, parseOutsideBody } from "./lines.ts";
import { type ListPlace, writeItems } from "./list.ts";
import type { Mapping } from "./mapping.ts";
import { type SentPage, writePage } from "./paging.ts";
import { overlaps, pathOf, setField } from "./path.ts";
import { createRecordMapper, type Fields, type RecordMapper } from "./record.ts";
import { findSubject, type Subject } from "./subjects.ts";

const { submit, resume } = OPERATIONS.diligence;

/** A response as the service sends it: the body is undefined if there is none. */
export interface SentResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** contract → service, the inverse of `createMappingReader` for what is mapped. */
export function createMappingWriter(mapping: Mapping) {
  const mappers = new Map<string, RecordMapper>();
  const bind = (subject: Subject): RecordMapper => {
    const mapper = mappers.get(subject.name) ?? createRecordMapper(mapping, subject);
    mappers.set(subject.name, mapper);
    return mapper;
  };
  const placeOf = (subject: Subject): ListPlace => ({
    ...(findItemsLine(mapping, subject.name) ?? { path: pathOf("data"), isById: false }),
    mapper: bind(subject),
  });
  return {
    write(operation: Operation, body: unknown, headers: Readonly<Record<string, string>> = {}): SentResponse {
      const subject = findSubject(operation);
      if (!subject || !isRecord(body)) return { headers, body };
      const emptyLine = { [submit.id]: "submitted.body", [resume.id]: "resume.body" }[operation.id];
      const isEmpty = emptyLine !== undefined && mapping[emptyLine] === "none";
      const sent = { ...headers };
      if (subject.name === "submitted") writeId(mapping["submitted.id"], String(body.jobId), sent);
      return { headers: sent, body: isEmpty ? undefined : bind(subject).write(body) };
    },

    /** A page of a list. */
    writePage(
      operation: Operation,
      body: Fields,
      headers: Readonly<Record<string, string>>,
      page: SentPage,
    ): SentResponse {
      const subject = findSubject(operation);
      const { data, nextCursor: _, ...others } = body;
      if (!subject || !Array.isArray(data)) return { headers, body };
      const place = placeOf(subject);
      const document = writeItems(place, data);
      const isBare = place.path.length === 0;
      if (isRecord(document) && !isBare)
        for (const [name, value] of Object.entries(others))
          if (!overlaps(pathOf(name), place.path)) setField(document, name, value);
      const sent = { ...headers };
      const paging = findPaging(mapping, subject.name);
      if (paging !== undefined && paging !== "link") delete sent.Link;
      writePage(paging, isBare ? null : document, sent, page);
      return { headers: sent, body: document };
    },
  };
}

function writeId(line: string | undefined, id: string, headers: Record<string, string>): void {
  const outside = parseOutsideBody(line ?? "");
  if (outside?.kind === "link") headers.Link = `<${headers.Location}>; rel="${outside.name}"`;
  else if (outside && outside.name.toLowerCase() !== "location") headers[outside.name] = id;
}
