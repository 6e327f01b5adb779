import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging } from "./lines.ts";
import { type ListPlace, writeItems } from "./list.ts";
import type { Mapping } from "./mapping.ts";
import { type SentPage, writePage } from "./paging.ts";
import { overlaps, pathOf, setField } from "./path.ts";
import { createRecordMappers, type Fields } from "./record.ts";
import { findSubject, type Subject } from "./subjects.ts";

const { submit, resume } = OPERATIONS.diligence;

/** A response as the service sends it: the body is undefined if there is none. */
export interface SentResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** contract → service, the inverse of `createMappingReader` for what is mapped. */
export function createMappingWriter(mapping: Mapping) {
  const findMapper = createRecordMappers(mapping);
  const placeOf = (subject: Subject): ListPlace => ({
    ...(findItemsLine(mapping, subject.name) ?? { path: pathOf("data"), isById: false }),
    mapper: findMapper(subject),
  });
  return {
    write(operation: Operation, body: unknown, headers: Readonly<Record<string, string>> = {}): SentResponse {
      const subject = findSubject(operation);
      if (!subject || !isRecord(body)) return { headers, body };
      const emptyLine = { [submit.id]: "submitted.body", [resume.id]: "resume.body" }[operation.id];
      const isEmpty = emptyLine !== undefined && mapping[emptyLine] === "none";
      const sent = { ...headers };
      const header = findHeaderName(mapping["submitted.id"] ?? "");
      // The last segment of `Location` is the id, in the contract too.
      if (subject.name === "submitted" && header !== null && header !== "location")
        sent[header] = encodeURIComponent(String(body.jobId));
      return { headers: sent, body: isEmpty ? undefined : findMapper(subject).write(body) };
    },

    /** Writes one page of a list. */
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
