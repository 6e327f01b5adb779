import { rejectedError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { readLastSegment } from "../../domain/links.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging, hasLines } from "./lines.ts";
import { findItems, findItemsAt, type LocatedItems, readItem } from "./list.ts";
import type { Mapping } from "./mapping.ts";
import { findNextPage, type NextPage, type ReceivedPage } from "./paging.ts";
import { formatPath, toPath, valueAtPath } from "./path.ts";
import { createRecordMappers } from "./record.ts";
import { findSubject } from "./subjects.ts";

/** A document with the names of the contract for what is mapped, and as it came. */
export interface Reading {
  readonly value: unknown;
  readonly sent: unknown;
}

interface ReceivedResponse {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed; undefined if it is not JSON. */
  readonly body: unknown;
}

export type MappingReader = ReturnType<typeof createMappingReader>;

/** Reads the body of one operation. */
export interface ResponseReader {
  read(body: unknown): Reading;
  locateItems(body: unknown): LocatedItems | null;
}

/** service → contract. Without a mapping, a document stays as it came. */
export function createMappingReader(mapping: Mapping | undefined) {
  const findMapper = createRecordMappers(mapping ?? {});
  const listOf = (operation: Operation) => {
    const subject = mapping && findSubject(operation);
    return subject?.isList ? subject : undefined;
  };
  const reader = {
    mapping,

    /** @throws ClaimsError `response_incomplete` if a document, or the state of a job, is not at its line */
    read(operation: Operation, body: unknown): Reading {
      const subject = mapping && findSubject(operation);
      if (!mapping || !subject || subject.isList || body === undefined) return { value: body, sent: body };
      requireLine(mapping, subject.name, body, isRecord);
      if (operation.id === OPERATIONS.diligence.status.id)
        requireLine(mapping, "job.state", body, (value) => value !== undefined && value !== null);
      return { value: isRecord(body) ? findMapper(subject).read(body) : body, sent: body };
    },

    /** The id of the job in the response to submit. Undefined without a line, null if it leads nowhere. */
    readSubmittedId({ headers, body }: ReceivedResponse): string | null | undefined {
      const line = mapping?.["submitted.id"];
      if (line === undefined) return undefined;
      const header = findHeaderName(line);
      if (header !== null) return readLastSegment(headers[header]);
      const id = valueAtPath(body, toPath(line));
      return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : null;
    },

    /** Null if there is no list. @throws ClaimsError `response_incomplete` if the line of the items leads to none */
    locateItems(operation: Operation | undefined, body: unknown): LocatedItems | null {
      const subject = operation && listOf(operation);
      if (!mapping || !subject) return findItems(body);
      const line = findItemsLine(mapping, subject.name);
      const found = line ? findItemsAt(line, body) : findItems(body);
      if (line && !found)
        throw leadsNowhereError(
          subject.name,
          formatPath(line.path),
          line.isById ? "an object by id" : "a list of records",
        );
      const mapper = findMapper(subject);
      const id = mapping[`${subject.name}.id`] as string | undefined;
      return found && { ...found, items: found.items.map((item) => readItem(mapper, id, item)) };
    },

    findNextPage(operation: Operation | undefined, page: ReceivedPage): NextPage | null {
      const subject = operation && listOf(operation);
      return findNextPage(subject && mapping && findPaging(mapping, subject.name), page);
    },

    /** Whether a line of its own says how the list ends. */
    hasPagingLine(operation: Operation): boolean {
      const name = listOf(operation)?.name;
      return name !== undefined && mapping?.[`${name}.paging`] !== undefined;
    },

    /** Whether a line says something of the list: it then gets no limit (product.md §10). */
    isMappedList(operation: Operation): boolean {
      const name = listOf(operation)?.name;
      return Boolean(mapping && name && (mapping.paging !== undefined || hasLines(mapping, name)));
    },

    /** Returns undefined without a mapping. */
    bind(operation: Operation): ResponseReader | undefined {
      return (
        mapping && {
          read: (body) => reader.read(operation, body),
          locateItems: (body) => reader.locateItems(operation, body),
        }
      );
    },
  };
  return reader;
}

function requireLine(
  mapping: Mapping,
  key: string,
  body: unknown,
  isFound: (value: unknown) => boolean,
): void {
  const line = mapping[key];
  if (typeof line !== "string" || isFound(valueAtPath(body, toPath(line)))) return;
  throw leadsNowhereError(key, line, key === "job.state" ? "the state of the job" : "an object");
}

const leadsNowhereError = (key: string, line: string, what: string) =>
  rejectedError("response_incomplete", `${key}: expected ${what} at ${line || "the top"} of the response`, {
    hint: "the mapping does not fit this service: `claims mapping check FILE --profile P` says what differs",
  });
