import { groupBy } from "../../../domain/group-by.ts";
import type { HeaderList } from "../../../domain/http-headers.ts";
import { headerValues } from "../../../domain/http-headers.ts";
import { isRecord, isTooDeep, parseJsonText } from "../../../domain/json.ts";
import { EVENT_HEADER } from "../../../domain/webhooks/headers.ts";
import { OPERATIONS } from "../../operations/operations.ts";
import { type ContractRecord, EVENT_RECORD, findContractResponse } from "../contract-records.ts";
import { formatPlace, type Place } from "../places.ts";
import {
  type DerivedFields,
  FORM_VERSION,
  type OpenPoint,
  type Row,
  type ServiceForm,
} from "../service-form.ts";
import { describeDelivery, readPreviews } from "./deliveries.ts";
import { findLists, listItems } from "./find-records.ts";
import { listFindings } from "./findings.ts";
import { KnownValues } from "./known-values.ts";
import { learnErrors } from "./learn-errors.ts";
import { addState, JOB_RECORDS } from "./learn-job.ts";
import {
  groupByOperation,
  isOfSeveral,
  type LearnedOperation,
  learnExtras,
  learnOperation,
  sharePaging,
} from "./learn-operation.ts";
import { ignoresKeys, learnRequests, noteSubmission } from "./learn-requests.ts";
import { proposeRows } from "./propose-rows.ts";
import { type Exchange, queryOf, type Sample, toSample } from "./samples.ts";
import { readServiceDocument, type ServiceDocument } from "./service-document.ts";
import { settleDefaults } from "./settle-defaults.ts";
import { isUuid } from "./value-forms.ts";

/** Responses of one operation with one status: the first ones are kept. */
const MAX_SAMPLES = 200;

/** A UUID, a ULID, hexadecimal digits, or anything with the prefix of a request: no key, no name and no amount. */
const REQUEST_ID =
  /^(?:(?=.*[a-f])[0-9a-f-]{16,64}|[0-7][0-9A-HJKMNP-TV-Z]{25}|(?:req|request|rid|trace)[_-][0-9a-z-]{4,64})$/i;

/** Collects exchanges and deliveries, and makes of them the form that there is evidence for (product.md §10). */
export function createLearner() {
  const samples: Sample[] = [];
  const counts = new Map<string, number>();
  const deliveries: { headers: HeaderList; payload: Record<string, unknown>; form: object }[] = [];
  const known = new KnownValues();
  let document: ServiceDocument | null = null;
  const times: number[] = [];

  const addDelivery = (headers: HeaderList, body: string, at: number): boolean => {
    const payload = parseJsonText(body);
    if (!isRecord(payload) || isTooDeep(payload)) return false;
    times.push(at);
    known.add("eventType", headerValues(headers, EVENT_HEADER)[0]);
    deliveries.push({ headers, payload, form: describeDelivery(headers, body, payload) });
    return true;
  };
  const addPreviews = ({ document: test, at }: Sample): void => {
    for (const { headers, body } of readPreviews(test)) addDelivery(headers, body, at);
  };

  return {
    addKnown: (meaning: string, value: unknown) => known.add(meaning, value),

    /** Adds a delivery; returns whether its payload can be read. */
    addDelivery,

    /** Adds an exchange; returns whether it is one of the contract. */
    add(exchange: Exchange): boolean {
      const sample = toSample(exchange);
      if (!sample) return false;
      noteSubmission(sample, known);
      times.push(sample.at);
      const key = `${sample.operation.id} ${sample.status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (sample.operation.id === OPERATIONS.webhooks.test.id && sample.status < 300) addPreviews(sample);
      const isContract = sample.operation.id === OPERATIONS.document.openapi.id;
      if (isContract && sample.status < 300) document = readServiceDocument(sample.body);
      if ((counts.get(key) ?? 0) <= MAX_SAMPLES) samples.push(sample);
      return true;
    },

    /** What a person should know of the service's own contract. */
    listNotes: (): readonly string[] => document?.notes ?? [],

    /** @param contractHash of the contract that the form is compared with */
    finish(contractHash: string): ServiceForm {
      const learned = learnForm(samples, deliveries, known, document);
      const lists = new Map(learned.located.map((each) => [each.operation.id, each.list]));
      const itemsOf = (sample: Sample) => {
        const list = lists.get(sample.operation.id);
        return list ? listItems(sample.document, list) : [];
      };
      return {
        ...learned.form,
        evidence: {
          firstAt: toTime(Math.min(...times)),
          lastAt: toTime(Math.max(...times)),
          contractHash,
          serviceContractHash: document?.hash ?? null,
          responses: listResponses(samples, counts),
          ...(deliveries.length > 0 && { deliveries: deliveries.length }),
          learned: [],
          findings: listFindings(
            samples,
            deliveries.map(({ headers }) => headers),
            itemsOf,
          ),
        },
      };
    },
  };
}

const toTime = (at: number): string => new Date(Number.isFinite(at) ? at : 0).toISOString();

function listResponses(samples: readonly Sample[], counts: ReadonlyMap<string, number>) {
  const last = new Map(samples.map((sample) => [`${sample.operation.id} ${sample.status}`, sample]));
  return [...last].map(([key, { operation, status, at, headers }]) => {
    const id = headers["x-request-id"] ?? "";
    return {
      ...{ operation: operation.id, status, count: counts.get(key) ?? 0, lastAt: toTime(at) },
      requestId: REQUEST_ID.test(id) ? id : null,
    };
  });
}

function learnForm(
  samples: readonly Sample[],
  deliveries: readonly { readonly payload: Record<string, unknown>; readonly form: object }[],
  known: KnownValues,
  document: ServiceDocument | null,
): { readonly form: ServiceForm; readonly located: readonly LearnedOperation[] } {
  noteIds(samples, known);
  const open: OpenPoint[] = [];
  const located = sharePaging(
    groupByOperation(samples).map((group) => learnOperation(group, known, document, open)),
  );
  const records = new Map<string, Readonly<Record<string, Row>>>();
  const explained = new Map<string, Place[]>();
  const recordOf = ({ operation }: LearnedOperation) => findContractResponse(operation).record;
  const propose = (record: ContractRecord, all: readonly unknown[], isSeveral?: boolean) => {
    const proposed = proposeRows(record, all, known, isSeveral);
    for (const [name, rows] of proposed.records) records.set(name, rows);
    open.push(...proposed.open);
    explained.set(record.name, proposed.explained);
  };
  let derived: DerivedFields = {};
  for (const [name, group] of groupBy(located, (each) => recordOf(each).name)) {
    const [first] = group;
    const all = group.flatMap((each) => each.records);
    if (!first || all.length === 0) continue;
    propose(recordOf(first), all, group.some(isOfSeveral));
    if (name === "Job") derived = addState({ group, samples, records, explained, open });
  }
  const payloads = deliveries.map(({ payload }) => hideSubject(payload, known));
  if (payloads.length > 0) propose(EVENT_RECORD, payloads, payloads.length > 1);
  const event = { ...EVENT_ENVELOPE, samples: payloads.map((document) => ({ document })) };
  const isInData = payloads.some(({ data }) => data !== null);
  const places = explained.get(EVENT_RECORD.name) ?? [];
  const placesOfEvent = isInData ? places.filter((place) => formatPlace(place) !== "data") : places;
  const extras = learnExtras(event, placesOfEvent, open);
  const requests = learnRequests(samples, known);
  const { errors, open: openErrors } = learnErrors(samples);
  open.push(...openErrors);
  const operations = located
    .map((each) => {
      const { id } = each.operation;
      const extras = learnExtras(each, explained.get(recordOf(each).name) ?? [], open);
      return [id, { ...each.form, ...extras, ...requests.get(id) }] as const;
    })
    .filter(([, own]) => Object.keys(own).length > 0);
  const delivery = { ...deliveries[0]?.form, ...extras };
  const form: ServiceForm = {
    serviceForm: FORM_VERSION,
    records: Object.fromEntries(
      [...records].map(([name, fields]) => [name, { fields, ...(JOB_RECORDS.has(name) && { derived }) }]),
    ),
    operations: Object.fromEntries(operations),
    ...(errors && { errors }),
    ...(ignoresKeys(samples) && { idempotencyKeys: "ignored" }),
    ...(Object.keys(delivery).length > 0 && { deliveries: delivery }),
    ...(open.length > 0 && { open: removeRepeated(open) }),
  };
  return { form: settleDefaults(form, explained), located };
}

/** What an event is about is not kept, unless the whole event is in the same place. */
function hideSubject(payload: Readonly<Record<string, unknown>>, known: KnownValues) {
  const isBeside = Object.values(payload).some((value) => known.has("eventType", value));
  return isBeside || payload.data === undefined ? { ...payload, data: null } : payload;
}

const EVENT_METHOD = { id: EVENT_RECORD.name, method: "POST" } as const;
const EVENT_ENVELOPE = { operation: EVENT_METHOD, list: null, at: [], explained: [] };

const removeRepeated = (open: readonly OpenPoint[]): OpenPoint[] => [
  ...new Map(open.map((each) => [`${each.subject} ${each.seen}`, each])).values(),
];

/** The ids that requests have in their paths, and those of lists that occur in other responses. */
function noteIds(samples: readonly Sample[], known: KnownValues): void {
  for (const { operation, path, status } of samples) {
    const [, parameter] = /\{(\w+)\}/.exec(operation.path) ?? [];
    const [id] = path.match(/[^/?#]+(?=\/(?:summary|resume)|[?#]|$)/) ?? [];
    if (parameter !== undefined && status < 300 && isUuid(id)) known.add(parameter, id);
    const claimId = queryOf({ path }).get("claimId");
    if (claimId !== null && status < 300) known.add("claimId", claimId);
  }
  const isOfOther = (meaning: string, id: string) =>
    LIST_MEANINGS.some(([, other]) => other !== meaning && known.has(other, id));
  for (const [id, meaning] of LIST_MEANINGS) {
    const own = samples.filter(({ operation, status }) => operation.id === id && status < 300);
    const others = samples
      .filter(({ operation }) => operation.id !== id)
      .map(({ document }) => JSON.stringify(document ?? null));
    const [list, ...more] = findLists(own.map(({ document }) => document));
    if (!list || more.length > 0) continue;
    for (const item of own.flatMap(({ document }) => listItems(document, list))) {
      const ids = isRecord(item) ? Object.values(item).filter(isUuid) : [];
      for (const each of ids)
        if (others.some((text) => text.includes(each)) && !isOfOther(meaning, each)) known.add(meaning, each);
    }
  }
}

const LIST_MEANINGS = [
  [OPERATIONS.clients.list.id, "clientId"],
  [OPERATIONS.claims.list.id, "claimId"],
  [OPERATIONS.webhooks.endpoints.id, "endpointId"],
] as const;
