import { isRecord } from "../../domain/json.ts";
import type { Operation } from "../operations/operation.ts";
import { PAGE_LIMIT } from "../schemas.ts";
import { cacheByForm } from "./cache.ts";
import { buildRequestRecord, type ContractRecord } from "./contract-records.ts";
import { createRecordMapper, type RecordMapper } from "./map-record.ts";
import { bindResponse } from "./responses.ts";
import { FORM_VERSION, type Row, type ServiceForm } from "./service-form.ts";

/** Without rows, a request is that of the contract: what a response shows says nothing of it. */
const findMapper = cacheByForm((form, operation): RecordMapper | null => {
  const record = buildRequestRecord(operation);
  const fields = form.operations?.[operation.id]?.request;
  return record && fields ? createRecordMapper(toRequestForm(record, fields), record) : null;
});

/** A request has no more than rows: neither the styles nor the codecs of responses hold for it. */
export const toRequestForm = (
  { name }: ContractRecord,
  fields: Readonly<Record<string, Row>>,
): ServiceForm => ({
  serviceForm: FORM_VERSION,
  records: { [name]: { fields } },
});

export const writeRequestBody = (form: ServiceForm, operation: Operation, body: unknown): unknown =>
  isRecord(body) ? (findMapper(form, operation)?.write(body) ?? body) : body;

/**
 * The rows name all of a request that is read: what else the service takes is its own. A choice that it does not offer is
 * the first of the contract.
 */
export function readRequestBody(form: ServiceForm, operation: Operation, body: unknown): unknown {
  const mapper = findMapper(form, operation);
  if (!mapper || !isRecord(body)) return body;
  const names = new Set(mapper.rows.map(({ field }) => field.name));
  const read = Object.entries(mapper.read(body)).filter(([name]) => names.has(name));
  const chosen = mapper.rows.flatMap(({ at, field: { name, words } }) =>
    at === null && words.length > 0 ? [[name, words[0]] as const] : [],
  );
  return Object.fromEntries([...chosen, ...read]);
}

function listQueryNames(form: ServiceForm, operation: Operation): ReadonlyMap<string, string> {
  const known = Object.keys(operation.query?.properties ?? {});
  const own = form.operations?.[operation.id]?.query ?? {};
  const { parameter, size } = form.operations?.[operation.id]?.paging ?? {};
  const names = new Map(
    Object.entries({ ...form.parameters, ...own }).filter(([name]) => known.includes(name)),
  );
  if (parameter !== undefined && known.includes("cursor")) names.set("cursor", parameter);
  if (size !== undefined && known.includes("limit")) names.set("limit", size);
  return names;
}

export function writeQuery(
  form: ServiceForm,
  operation: Operation,
  query: Readonly<Record<string, string | number | undefined>>,
): Record<string, string | number | undefined> {
  const names = listQueryNames(form, operation);
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [names.get(name) ?? name, value]));
}

export function readQuery(form: ServiceForm, operation: Operation, query: URLSearchParams): URLSearchParams {
  const names = new Map([...listQueryNames(form, operation)].map(([own, theirs]) => [theirs, own]));
  return new URLSearchParams([...query].map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Where the page begins that a query of the service asks for. */
export type PageStart =
  /** The pages of the service have cursors, and the query names none by a number. */
  | { readonly kind: "cursor" }
  /** @property rows before the page */
  | { readonly kind: "offset"; readonly rows: number }
  /** The query asks for a page that no list has. @property parameter the one that is wrong */
  | { readonly kind: "invalid"; readonly parameter: string };

export function readPageStart(form: ServiceForm, operation: Operation, query: URLSearchParams): PageStart {
  const { paging } = bindResponse(form, operation);
  if (paging.kind !== "page" && paging.kind !== "offset") return { kind: "cursor" };
  const { kind, parameter = "", size = "", rows, first = 1 } = paging;
  const text = query.get(parameter);
  if (text === null) return { kind: "offset", rows: 0 };
  if (!/^\d{1,15}$/.test(text)) return { kind: "invalid", parameter };
  const at = Number(text);
  if (kind === "offset") return { kind: "offset", rows: at };
  if (at < first) return { kind: "invalid", parameter };
  const limit = Number(query.get(size) ?? rows ?? PAGE_LIMIT.default);
  return { kind: "offset", rows: (at - first) * limit };
}
