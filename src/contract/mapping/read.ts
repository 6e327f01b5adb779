import { rejectedError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { readLastSegment } from "../../domain/links.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { findHeaderName, findItemsLine, findPaging, hasLines } from "./lines.ts";
import { findItems, findItemsAt, type LocatedItems, readItem } from "./list.ts";
import type { Mapping } from "./mapping.ts";
import { Pager } from "./paging.ts";
import { toPath, valueAtPath } from "./path.ts";
import { createRecordMapper } from "./record.ts";
import { findResource, type Resource } from "./resources.ts";

/** A response as it came. */
export interface ReceivedResponse {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed; undefined if it is not JSON. */
  readonly json: unknown;
}

/** service → contract: reads the responses to an operation. Without a mapping, a document stays as it came. */
export class ResponseReader {
  readonly #mapping: Mapping;
  readonly #operation: Operation | undefined;
  readonly #resource: Resource | undefined;

  /** @param operation undefined for a route without one */
  constructor(mapping: Mapping | undefined, operation: Operation | undefined) {
    this.#mapping = mapping ?? {};
    this.#operation = operation;
    this.#resource = mapping && operation && findResource(operation);
  }

  /** Whether a mapping says where the fields of the record are. */
  get hasMapping(): boolean {
    return this.#resource !== undefined;
  }

  /** @throws ClaimsError `response_incomplete` if a document, the state of a job or the rows of a dataset are not at their line */
  read(body: unknown): unknown {
    if (!this.#resource || this.#resource.isList || body === undefined) return body;
    const { name } = this.#resource;
    const line = this.#mapping[name];
    if (line !== undefined && !isRecord(valueAtLine(body, line))) throw nowhereError(name, line, "an object");
    const isStatus = this.#operation?.id === OPERATIONS.diligence.status.id;
    const stateLine = isStatus ? this.#mapping["job.state"] : undefined;
    if (stateLine !== undefined && (valueAtLine(body, stateLine) ?? null) === null)
      throw nowhereError("job.state", stateLine, "the state of the job");
    const rowsLine = name === "dataset" ? this.#mapping["dataset.rows"] : undefined;
    if (rowsLine !== undefined && !Array.isArray(valueAtLine(body, rowsLine)))
      throw nowhereError("dataset.rows", rowsLine, "a list");
    return isRecord(body) ? createRecordMapper(this.#mapping, this.#resource).read(body) : body;
  }

  /** Null if there is no list. @throws ClaimsError `response_incomplete` if the line of the items leads to none */
  locateItems(body: unknown): LocatedItems | null {
    if (!this.#resource?.isList) return findItems(body);
    const { name } = this.#resource;
    const line = findItemsLine(this.#mapping, name);
    const found = line ? findItemsAt(line, body) : findItems(body);
    if (line && !found)
      throw nowhereError(name, this.#mapping[name], line.isById ? "an object by id" : "a list of records");
    const mapper = createRecordMapper(this.#mapping, this.#resource);
    const idLine = this.#mapping[`${name}.id`];
    return found && { ...found, items: found.items.map((item) => readItem(mapper, idLine, item)) };
  }

  createPager(): Pager {
    return new Pager(this.#resource && findPaging(this.#mapping, this.#resource));
  }

  /** Whether a line of its own says how the list ends. */
  get hasPagingLine(): boolean {
    return this.#mapping[`${this.#resource?.name}.paging`] !== undefined;
  }

  /** Whether a line says something of the list: it then gets no limit (product.md §10). */
  get isMappedList(): boolean {
    if (!this.#resource?.isList) return false;
    return this.#mapping.paging !== undefined || hasLines(this.#mapping, this.#resource.name);
  }
}

/** The id of the job in the response to submit, by a line of a mapping. Null if it leads nowhere. */
export function readSubmittedId(line: string, { headers, json }: ReceivedResponse): string | null {
  const header = findHeaderName(line);
  if (header !== null) return readLastSegment(headers[header]);
  const id = valueAtPath(json, toPath(line));
  return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : null;
}

const valueAtLine = (body: unknown, line: Mapping[string]): unknown =>
  valueAtPath(body, toPath(String(line)));

const nowhereError = (key: string, line: Mapping[string], what: string) =>
  rejectedError("response_incomplete", `${key}: expected ${what} at ${line || "the top"} of the response`, {
    hint: "the mapping does not fit this service: `claims mapping check FILE --profile P` says what differs",
  });
