import { isRecord } from "../../domain/json.ts";
import { cacheByForm } from "./cache.ts";
import { EVENT_RECORD, findContractResponse } from "./contract-records.ts";
import { withExtras } from "./extras.ts";
import { createRecordMapper, type RecordMapper } from "./map-record.ts";
import { CONTRACT_PAGING, listPagingPlaces, type PageContext, readNextPage, writePage } from "./paging.ts";
import {
  type Fields,
  holdAt,
  listConstants,
  parsePlace,
  putAtPlace,
  putConstants,
  setField,
  valueAtPlace,
  withoutPlaces,
} from "./places.ts";
import { rememberSent } from "./sent.ts";
import type { OperationForm, PagingForm, ServiceForm } from "./service-form.ts";

/** A response as JSON: the body is undefined if there is none. */
export interface FormedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const NO_CONTEXT: PageContext = { query: new URLSearchParams() };

export const writeEvent = (form: ServiceForm, payload: object): object =>
  withExtras(createRecordMapper(form, EVENT_RECORD).write({ ...payload }), form.deliveries?.extras);

/** Binds the rows of an operation, once for each form. */
export const bindResponse = cacheByForm((form, operation) => {
  const own = form.operations?.[operation.id] ?? {};
  const contract = findContractResponse(operation);
  const mapper = createRecordMapper(form, contract.record, own.record);
  const parts = { form, own, mapper };
  const paging = own.paging ?? CONTRACT_PAGING;
  const idField = contract.record.fields.has("jobId") ? "jobId" : "id";
  const bodies = contract.isPage ? bindPage(parts, paging) : bindDocument(parts);
  return {
    mapper,
    paging,
    /** service → contract. What the form does not describe stays as it was sent. */
    read(response: FormedResponse, context = NO_CONTEXT): FormedResponse {
      const { headers } = response;
      const body = own.isEmpty ? {} : bodies.read(response.body, headers, context);
      const located = readLocation(own.location, idField, readHeaders(mapper, body, headers), headers);
      return { ...response, status: operation.response.status, body: located };
    },
    /** contract → service, the inverse of `read` where the form loses nothing. */
    write(response: FormedResponse, context = NO_CONTEXT): FormedResponse {
      const headers: Record<string, string> = { ...response.headers };
      writeHeaders(mapper, response.body, headers);
      writeLocation(own.location, valueAtPlace(response.body, [idField]), headers, context);
      const body = own.isEmpty
        ? undefined
        : withExtras(bodies.write(response.body, headers, context), own.extras);
      if (own.contentType !== undefined) headers["Content-Type"] = own.contentType;
      return { status: own.status ?? response.status, headers, body };
    },
    /** Some items of a list that is too long for one document. */
    writeItems(name: string, items: readonly unknown[]): unknown {
      const at = mapper.rows.find(({ field }) => field.name === name)?.at;
      if (!at) return items;
      const body = withExtras(bodies.write({ [name]: items }, {}, NO_CONTEXT), own.extras);
      return valueAtPlace(body, [...parsePlace(own.at ?? ""), ...at]);
    },
  };
});

interface Bodies {
  read(body: unknown, headers: Readonly<Record<string, string>>, context: PageContext): unknown;
  write(body: unknown, headers: Record<string, string>, context: PageContext): unknown;
}

interface Parts {
  readonly form: ServiceForm;
  readonly own: OperationForm;
  readonly mapper: RecordMapper;
}

/** The members of the envelope stay next to those of the record, unless they have its names. */
const joinEnvelope = (record: Fields, envelope: Fields, sent: object): Fields =>
  rememberSent({ ...envelope, ...record }, sent);

function bindDocument({ own, mapper }: Parts): Bodies {
  const at = parsePlace(own.at ?? "");
  const places = [at, ...listConstants(own.constants).map(([place]) => place)];
  return {
    read(body) {
      const sent = at.length === 0 ? body : valueAtPlace(body, at);
      if (!isRecord(body) || !isRecord(sent)) return body;
      const document = at.length === 0 ? withoutPlaces(body, places.slice(1)) : sent;
      const record = mapper.read(document);
      const envelope = at.length === 0 ? {} : withoutPlaces(body, places);
      return joinEnvelope(record, envelope, body);
    },
    write: (body) => (isRecord(body) ? putConstants(holdAt(at, mapper.write(body)), own.constants) : body),
  };
}

function bindPage({ form, own, mapper }: Parts, paging: PagingForm): Bodies {
  const at = parsePlace(own.items ?? "data");
  const places = [at, ...listPagingPlaces(paging), ...listConstants(own.constants).map(([place]) => place)];
  const isReversed = form.order === "oldest-first";
  return {
    read(body, headers, context) {
      const holder = valueAtPlace(body, at);
      const items = own.map && isRecord(holder) ? readMap(holder) : holder;
      if (!Array.isArray(items)) return body;
      const read = items.map((item) => (isRecord(item) ? mapper.read(item) : item));
      const data = rememberSent(isReversed ? read.reverse() : read, holder);
      const nextCursor = readNextPage(paging, body, items.length, headers, context);
      const others = isRecord(body) ? withoutPlaces(body, places) : {};
      return rememberSent({ ...others, data, nextCursor }, body);
    },
    write(body, headers, context) {
      if (!isRecord(body) || !Array.isArray(body.data)) return body;
      const { data, nextCursor, ...others } = body;
      const records = isReversed ? data.toReversed() : data;
      const ids = records.map((record) => String(isRecord(record) ? record.id : ""));
      const items = records.map((record) => (isRecord(record) ? mapper.write(record) : record));
      const document = holdAt(at, own.map ? writeMap(items, ids) : items);
      if (isRecord(document) && !own.map)
        for (const [name, value] of Object.entries(others))
          if (!Object.hasOwn(document, name)) setField(document, name, value);
      const next = typeof nextCursor === "string" ? nextCursor : null;
      writePage(paging, document, next, data.length, headers, context);
      return putConstants(document, own.constants);
    },
  };
}

/** A list that is an object by id: the key is the id of a record without one. */
const readMap = (holder: Fields): unknown[] =>
  Object.entries(holder).map(([key, value]) =>
    isRecord(value) && !Object.hasOwn(value, "id") ? { id: key, ...value } : value,
  );

function writeMap(records: readonly unknown[], ids: readonly string[]): Fields {
  const map: Record<string, unknown> = {};
  for (const [index, record] of records.entries()) setField(map, ids[index] ?? "", record);
  return map;
}

function readHeaders({ rows }: RecordMapper, body: unknown, headers: Readonly<Record<string, string>>) {
  const found = rows.flatMap(({ header, codec, path }) => {
    const value = header === null ? undefined : headers[header.toLowerCase()];
    return value === undefined ? [] : [[path, codec?.read(value) ?? value] as const];
  });
  if (found.length === 0) return body;
  const document: Record<string, unknown> = { ...(isRecord(body) ? body : {}) };
  for (const [path, value] of found) putAtPlace(document, path, value);
  return rememberSent(document, body);
}

function writeHeaders({ rows }: RecordMapper, body: unknown, headers: Record<string, string>): void {
  for (const { header, codec, path } of rows) {
    const value = header === null ? undefined : valueAtPlace(body, path);
    if (header === null || value === undefined || value === null) continue;
    // A link that the response has already leads to the record.
    if (codec?.read(headers[header] ?? "") !== value) headers[header] = String(codec?.write(value) ?? value);
  }
}

/** The id in `Location` counts where the body has none. */
function readLocation(
  location: string | undefined,
  field: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
) {
  const sent = headers.location;
  if (location === undefined || sent === undefined || !isRecord(body) || Object.hasOwn(body, field))
    return body;
  const [before = ""] = location.replace("{origin}", "").split("{id}");
  const start = sent.lastIndexOf(before);
  const [id] = start < 0 ? [] : (/^[^/?#]+/.exec(sent.slice(start + before.length)) ?? []);
  return id === undefined ? body : rememberSent({ ...body, [field]: id }, body);
}

function writeLocation(
  location: string | undefined,
  id: unknown,
  headers: Record<string, string>,
  { origin = "" }: PageContext,
): void {
  if (location === undefined || typeof id !== "string") return;
  headers.Location = location.replace("{origin}", origin).replace("{id}", () => id);
}
