import { rejectedError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { readLastSegment } from "../../domain/links.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging, hasLines } from "./lines.ts";
import { findItems, findItemsAt, type LocatedItems, readItem } from "./list.ts";
import type { Mapping } from "./mapping.ts";
import { findNextPage, type NextPage, type ReceivedPage } from "./paging.ts";
import { toPath, valueAtPath } from "./path.ts";
import { createRecordMapper } from "./record.ts";
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

/** Reads the body of one operation. */
export interface ResponseReader {
  read(body: unknown): Reading;
  locateItems(body: unknown): LocatedItems | null;
}

/** service → contract. Without a mapping, a document stays as it came. */
export class MappingReader {
  readonly mapping: Mapping | undefined;

  constructor(mapping: Mapping | undefined) {
    this.mapping = mapping;
  }

  /** @throws ClaimsError `response_incomplete` if a document, or the state of a job, is not at its line */
  read(operation: Operation, body: unknown): Reading {
    const { mapping } = this;
    const subject = findSubject(operation);
    if (!mapping || !subject || subject.isList || body === undefined) return { value: body, sent: body };
    const line = mapping[subject.name];
    if (line !== undefined && !isRecord(valueAtLine(body, line)))
      throw nowhereError(subject.name, line, "an object");
    const stateLine = operation.id === OPERATIONS.diligence.status.id ? mapping["job.state"] : undefined;
    if (stateLine !== undefined && (valueAtLine(body, stateLine) ?? null) === null)
      throw nowhereError("job.state", stateLine, "the state of the job");
    return { value: isRecord(body) ? createRecordMapper(mapping, subject).read(body) : body, sent: body };
  }

  /** The id of the job in the response to submit. Undefined without a line, null if it leads nowhere. */
  readSubmittedId({ headers, body }: ReceivedResponse): string | null | undefined {
    const line = this.mapping?.["submitted.id"];
    if (line === undefined) return undefined;
    const header = findHeaderName(line);
    if (header !== null) return readLastSegment(headers[header]);
    const id = valueAtLine(body, line);
    return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : null;
  }

  /** Null if there is no list. @throws ClaimsError `response_incomplete` if the line of the items leads to none */
  locateItems(operation: Operation | undefined, body: unknown): LocatedItems | null {
    const { mapping } = this;
    const subject = operation && findSubject(operation);
    if (!mapping || !subject?.isList) return findItems(body);
    const line = findItemsLine(mapping, subject.name);
    const found = line ? findItemsAt(line, body) : findItems(body);
    if (line && !found) {
      const what = line.isById ? "an object by id" : "a list of records";
      throw nowhereError(subject.name, mapping[subject.name], what);
    }
    const mapper = createRecordMapper(mapping, subject);
    const idLine = mapping[`${subject.name}.id`];
    return found && { ...found, items: found.items.map((item) => readItem(mapper, idLine, item)) };
  }

  /** Undefined without a mapping. */
  bind(operation: Operation): ResponseReader | undefined {
    if (!this.mapping) return undefined;
    return {
      read: (body) => this.read(operation, body),
      locateItems: (body) => this.locateItems(operation, body),
    };
  }

  findNextPage(operation: Operation | undefined, page: ReceivedPage): NextPage | null {
    const name = operation && findListName(operation);
    const isMapped = this.mapping !== undefined && name !== undefined;
    return findNextPage(isMapped ? findPaging(this.mapping, name) : undefined, page);
  }

  /** Whether a line of its own says how the list ends. */
  hasPagingLine(operation: Operation): boolean {
    return this.mapping?.[`${findListName(operation)}.paging`] !== undefined;
  }

  /** Whether a line says something of the list: it then gets no limit (product.md §10). */
  isMappedList(operation: Operation): boolean {
    const name = findListName(operation);
    const { mapping } = this;
    return Boolean(mapping && name && (mapping.paging !== undefined || hasLines(mapping, name)));
  }
}

const findListName = (operation: Operation): string | undefined => {
  const subject = findSubject(operation);
  return subject?.isList ? subject.name : undefined;
};

const valueAtLine = (body: unknown, line: Mapping[string]): unknown =>
  valueAtPath(body, toPath(String(line)));

const nowhereError = (key: string, line: Mapping[string], what: string) =>
  rejectedError("response_incomplete", `${key}: expected ${what} at ${line || "the top"} of the response`, {
    hint: "the mapping does not fit this service: `claims mapping check FILE --profile P` says what differs",
  });
