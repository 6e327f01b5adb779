import { isRecord, isTooDeep, parseJsonText, valueAt } from "../../domain/json.ts";
import type { HeaderList } from "../../domain/webhooks/headers.ts";
import { TIMESTAMP_HEADER } from "../../domain/webhooks/headers.ts";
import { EVENT } from "../event.ts";
import { OPERATIONS } from "../operations.ts";
import { problem } from "../problems.ts";
import type { OperationRoute } from "../routes.ts";
import {
  alignDocument,
  type FieldSchema,
  listErrorExtras,
  type SeenDocument,
  type UnknownField,
} from "./align.ts";
import { assessService } from "./assess.ts";
import { type Exchange, findRoute } from "./exchange.ts";
import {
  describeErrorForm,
  describeHeaderCase,
  describePayload,
  describeTimestamp,
  describeType,
  listKnownHeaders,
} from "./forms.ts";
import { mergeEntries } from "./merge.ts";
import type { Facts, ObservedService } from "./observed-service.ts";
import { findPaging, type SeenPaging } from "./paging.ts";
import { namePlace } from "./places.ts";
import { readServiceDocument, type ServiceDocument } from "./service-document.ts";
import { addValue, createShape, type Shape } from "./shape.ts";
import { DOCUMENTED_STATES } from "./words.ts";

/** Responses of one route with one status. */
interface Group {
  readonly route: OperationRoute;
  readonly status: number;
  readonly shape: Shape;
  readonly headers: Set<string>;
  /** The paths of reads; each write makes a record of its own. */
  readonly records: Set<string>;
  paging: SeenPaging | null;
  type: string;
  count: number;
  lastAt: number;
  requestId: string | null;
}

/** The facts before it is known which names of unknown fields are kept. */
interface Findings extends Pick<Facts, "responses" | "fields"> {
  readonly unknown: UnknownField[];
}

/** A UUID, a ULID, hexadecimal digits, or anything with the prefix of a request: no key, no name and no amount. */
const REQUEST_ID =
  /^(?:(?=.*[a-f])[0-9a-f-]{16,64}|[0-7][0-9A-HJKMNP-TV-Z]{25}|(?:req|request|rid|trace)[_-][0-9a-z-]{4,64})$/i;

/** Collects what exchanges and deliveries show of the form of a service. */
export function createLearner() {
  const groups = new Map<string, Group>();
  const errors: Facts["errors"] = [];
  const deliveries: Facts["deliveries"] = [];
  const eventShape = createShape();
  /** Id → the last record of a job before its report. */
  const jobs = new Map<string, unknown>();
  const jobsWithReport: unknown[] = [];
  let eventCount = 0;
  let firstAt = Number.POSITIVE_INFINITY;
  let lastAt = Number.NEGATIVE_INFINITY;
  let serviceDocument: ServiceDocument | null = null;

  const noteTime = (at: number): void => {
    firstAt = Math.min(firstAt, at);
    lastAt = Math.max(lastAt, at);
  };

  const addDelivery = (headers: HeaderList, body: string, at: number): boolean => {
    const payload = parseJsonText(body);
    if (!isRecord(payload) || isTooDeep(payload)) return false;
    noteTime(at);
    eventCount += 1;
    addValue(eventShape, { ...payload, data: null }, at);
    const timestamp = headers.find(([name]) => name.toLowerCase() === TIMESTAMP_HEADER.toLowerCase())?.[1];
    deliveries.push({
      payload: describePayload(body, payload, Object.keys(EVENT.payload.properties)),
      headerCase: describeHeaderCase(headers.map(([name]) => name).filter(isServiceHeader)),
      timestamp: describeTimestamp(timestamp ?? ""),
      count: 1,
    });
    return true;
  };

  return {
    /** Adds a delivery; returns whether its payload can be read. */
    addDelivery,

    /** Adds an exchange; returns whether it is one of the contract. */
    add({ method, path, status, headers, body, at }: Exchange): boolean {
      const route = findRoute(method, path);
      if (!route || status < 200 || (status >= 300 && status < 400)) return false;
      noteTime(at);
      const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
      const type = describeType(header("content-type"));
      const id = header("x-request-id");
      const requestId = REQUEST_ID.test(id) ? id : null;
      const key = `${route.operation.id} ${route.path} ${status}`;
      const group = groups.get(key) ?? {
        route,
        status,
        shape: createShape(),
        headers: new Set(),
        records: new Set(),
        paging: null,
        type,
        count: 0,
        lastAt: at,
        requestId,
      };
      groups.set(key, group);
      group.count += 1;
      group.records.add(method === "GET" ? path : `${group.count}`);
      if (at >= group.lastAt) Object.assign(group, { lastAt: at, type, requestId });
      for (const name of listKnownHeaders(headers.map(([each]) => each))) group.headers.add(name);
      if (isContract(route) && status < 400) {
        serviceDocument = readServiceDocument(body);
        return true;
      }
      const parsed = parseJsonText(body);
      // Nesting would overflow the stack.
      const document = isTooDeep(parsed) ? undefined : parsed;
      // A document that is null shows no form.
      if (document !== undefined && document !== null) addValue(group.shape, document, at);
      group.paging ??= findPaging(path, headers, document);
      if (status >= 400) {
        // RFC 6749 §5.2 has a form for the errors of the token route.
        if (route.operation.auth === "client") return true;
        const form = describeErrorForm(type, document);
        const operation = route.operation.id;
        errors.push({ form, operation, status, count: 1, lastAt: toTime(at), requestId });
      } else if (route.operation.id === OPERATIONS.diligence.status.id) {
        jobs.set(readJobId(path), document);
      } else if (route.operation.id === OPERATIONS.diligence.report.id) {
        if (isRecord(document) && "rf8Review" in document) jobsWithReport.push(jobs.get(readJobId(path)));
      } else if (route.operation.id === OPERATIONS.webhooks.test.id) {
        for (const { headers: sent, body: payload } of readPreviews(document)) addDelivery(sent, payload, at);
      }
      return true;
    },

    /** What a person should know of the service's own contract. */
    listNotes: (): readonly string[] => serviceDocument?.notes ?? [],

    /** @param contractHash of the contract that the forms are compared with */
    finish(contractHash: string): ObservedService {
      const findings: Findings = { responses: [], fields: [], unknown: [] };
      for (const group of groups.values()) addGroup(findings, group);
      if (eventCount > 0)
        addDocument(findings, alignDocument(EVENT.payload as FieldSchema, eventShape, EVENT.id, namePlace), {
          ...{ operation: EVENT.id, status: 0, lastAt: toTime(lastAt), requestId: null },
        });
      const { responses, fields, unknown } = findings;
      const completedStates = listCompletedStates(findings, jobsWithReport);
      const facts = { responses, fields, ...splitUnknown(unknown), completedStates, errors, deliveries };
      const merged = mergeEntries(facts);
      const document = serviceDocument?.stated ?? undefined;
      return {
        format: "claims-observed-service",
        version: 1,
        contractHash,
        serviceContractHash: serviceDocument?.hash ?? null,
        firstAt: toTime(Math.min(firstAt, lastAt)),
        lastAt: toTime(lastAt),
        ...merged,
        ...(document && { document }),
        ...assessService({ ...merged, document }),
      };
    },
  };
}

/** The last segment of the path. */
const readJobId = (path: string): string => path.replace(/[?#].*$/s, "").replace(/^.*\//s, "");

/** A word is kept only where the contract has the states of a job. A job that is partial has a report, too. */
function listCompletedStates({ fields, responses }: Findings, jobs: readonly unknown[]): string[] {
  const { id } = OPERATIONS.diligence.status;
  const wrapper = responses.find(({ operation, status }) => operation === id && status < 300)?.wrapper;
  const states = fields.filter(
    ({ operation, place, field }) => operation === id && `${place}.${field}` === "Job.state",
  );
  return jobs.flatMap((document) => {
    const job = wrapper ? valueAt(document, wrapper) : document;
    const seen = states.find(({ name, words }) => words.some((word) => word === valueAt(job, name ?? "")));
    const word = String(valueAt(job, seen?.name ?? ""));
    return seen && !DOCUMENTED_STATES.includes(word) ? [word] : [];
  });
}

const isContract = ({ operation }: OperationRoute): boolean =>
  operation.id === OPERATIONS.document.openapi.id;

const toTime = (at: number): string => new Date(Number.isFinite(at) ? at : 0).toISOString();

function addGroup(
  findings: Findings,
  { route, status, shape, headers, records, paging, type, count, lastAt, requestId }: Group,
): void {
  const { operation, path: template } = route;
  const evidence = { operation: operation.id, status, lastAt: toTime(lastAt), requestId };
  const isError = status >= 400;
  const schema = (isError ? problem : operation.response.schema) as FieldSchema;
  const seen =
    shape.forms.size > 0
      ? alignDocument(schema, shape, isError ? "Problem" : operation.id, namePlace, records.size)
      : null;
  findings.responses.push({
    ...{ ...evidence, count, template, type, headers: [...headers].sort() },
    wrapper: seen?.wrapper ?? null,
    list: seen?.list ?? null,
    paging,
  });
  if (!seen) return;
  if (!isError || type === "application/problem+json") addDocument(findings, seen, evidence);
  else for (const field of listErrorExtras(shape, records.size)) findings.unknown.push(field);
}

function addDocument(
  findings: Findings,
  { fields, unknown }: SeenDocument,
  evidence: Pick<Facts["errors"][number], "operation" | "status" | "lastAt" | "requestId">,
): void {
  for (const { forms, words, ...field } of fields)
    findings.fields.push({ ...field, forms: [...forms], words: [...words], ...evidence });
  for (const field of unknown) findings.unknown.push(field);
}

/** A name that is kept in one place is kept in all; of the others, only their number is. */
function splitUnknown(unknown: readonly UnknownField[]): Pick<Facts, "unknownFields" | "otherFields"> {
  const kept = new Set(unknown.filter(({ isKept }) => isKept).map(({ name }) => name));
  const others = new Map<string, Set<string>>();
  for (const { place, name } of unknown)
    if (!kept.has(name)) others.set(place, (others.get(place) ?? new Set()).add(name));
  return {
    unknownFields: unknown
      .filter(({ name }) => kept.has(name))
      .map(({ place, name, forms }) => ({ place, name, forms: [...forms] })),
    otherFields: [...others].map(([place, names]) => ({ place, count: names.size })),
  };
}

/** The deliveries that the preview of a test event shows. */
function readPreviews(document: unknown): { headers: HeaderList; body: string }[] {
  if (!isRecord(document)) return [];
  const body = Object.values(document).find(
    (value) => typeof value === "string" && isRecord(parseJsonText(value)),
  );
  const lists = Object.values(document).filter(Array.isArray).flat() as unknown[];
  return lists.flatMap((preview) => {
    if (!isRecord(preview) || typeof body !== "string") return [];
    const headers = Object.values(preview).find(isSignedHeaders);
    return headers ? [{ headers: Object.entries(headers), body }] : [];
  });
}

/** A proxy writes the others as it likes. */
const isServiceHeader = (name: string): boolean =>
  EVENT.headers.some(([documented]) => documented.toLowerCase() === name.toLowerCase());

const isSignedHeaders = (value: unknown): value is Record<string, string> =>
  isRecord(value) &&
  Object.keys(value).some((name) => name.toLowerCase() === TIMESTAMP_HEADER.toLowerCase()) &&
  Object.values(value).every((each) => typeof each === "string");
