import type { TSchema } from "typebox";
import { job } from "../../../src/contract/diligence.ts";
import { GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import { type Operation, statusLabelOf } from "../../../src/contract/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations.ts";
import { problem } from "../../../src/contract/problems.ts";
import { scan } from "../../../src/contract/scans.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";
import type { ResponseRewriter, RewrittenError } from "../response-rewriter.ts";
import { describeVariations, WORKING_STATES } from "./choices.ts";
import { renderErrorShape } from "./error-shape.ts";
import { formatRecordTime } from "./formats.ts";
import { mapBySchema } from "./map-by-schema.ts";
import type { ServiceVariant } from "./service-variant.ts";
import type { UnknownFields } from "./unknown-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Varies what is only assumed in the JSON responses of operations and in problems (product.md §5), and lists in
 * {@link GREASE_HEADER} what it changed. The OpenAPI document stays: it describes the service without grease.
 */
export function createResponseGrease(
  { choices, deliveryVariations }: ServiceVariant,
  { addToRoot, addEverywhere }: UnknownFields,
): ResponseRewriter {
  const describe = (...dimensions: GreaseDimension[]) => describeVariations(choices, dimensions);

  const renameState = (record: Fields): Fields => {
    const { stateName } = choices;
    if (stateName === null) return record;
    if (record.state === "completed") return { ...record, state: stateName };
    return record.state === "processing" ? { ...record, state: WORKING_STATES[stateName] } : record;
  };

  /** Each page has its own order. Ids are random: sorting by them is a disorder that is always the same. */
  const reorderPage = (page: ListPage): ListPage => {
    if (page.data.length < 2) return page;
    const data =
      choices.listOrder === "oldest-first"
        ? page.data.toReversed()
        : page.data.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
    return { ...page, data };
  };

  /** Keeps unknown fields, except in a bare array, which has no place for them. */
  const wrapPage = ({ data, nextCursor, ...others }: ListPage): object => {
    if (choices.listEnvelope === "items") return { items: data, next_cursor: nextCursor, ...others };
    if (choices.listEnvelope === "results") return { ...others, results: data, next: nextCursor };
    return data;
  };

  /** Formats every time that the schema names; dates without a time stay. */
  const formatTimes = (document: object, schema: TSchema): object => {
    const { timestampFormat } = choices;
    if (timestampFormat === null) return document;
    let hasChanged = false;
    const changed = mapBySchema(document, schema, (value, { format }) => {
      if (typeof value !== "string" || format !== "date-time") return value;
      const formatted = formatRecordTime(value, timestampFormat);
      hasChanged ||= formatted !== value;
      return formatted;
    });
    return hasChanged ? (changed as object) : document;
  };

  const moveJobId = (document: Fields, schema: TSchema, hasLocation: boolean): object => {
    const { jobId, ...others } = document;
    const place = choices.jobIdField;
    if (place === "Location") return hasLocation ? others : document;
    if (place !== "job.id") return replaceField(document, "jobId", [String(place), jobId]);
    if (schema !== job) return replaceField(document, "jobId", ["job", { id: jobId }]);
    return addToRoot({ job: replaceField(document, "jobId", ["id", jobId]) });
  };

  /** Applies the dimensions in this order; a change that returns its argument does not count. */
  const varyDocument = ({ id, response: { schema } }: Operation, sent: Fields, hasLocation: boolean) => {
    const changes: readonly [GreaseDimension, (document: Fields) => object][] = [
      ["stateName", (it) => (SCHEMAS_WITH_STATE.includes(schema) ? renameState(it) : it)],
      ["listOrder", (it) => (isPage(it) ? reorderPage(it) : it)],
      ["unknownFields", (it) => addEverywhere(it, schema)],
      ["timestampFormat", (it) => formatTimes(it, schema)],
      ["listEnvelope", (it) => (isPage(it) ? wrapPage(it) : it)],
      // Elsewhere the field refers to a job (interface §4).
      ["jobIdField", (it) => (id.startsWith("diligence.") ? moveJobId(it, schema, hasLocation) : it)],
    ];
    const varied: string[] = [];
    let document: object = sent;
    for (const [dimension, change] of changes) {
      if (choices[dimension] === null) continue;
      const changed = change(document as Fields);
      if (changed !== document) varied.push(...describe(dimension));
      document = changed;
    }
    return { document, varied };
  };

  return {
    itemVariations: describe("unknownFields"),

    rewriteResponse(operation: Operation, { status, headers, body }: FinishedResponse): FinishedResponse {
      if (operation.id === OPERATIONS.document.openapi.id) return { status, headers, body };
      const { document, varied } = varyDocument(operation, JSON.parse(body), "Location" in headers);
      const isCreated = status !== 200 && statusLabelOf(operation.response).basis === "assumed";
      if ("Link" in headers) varied.push(...describe("paging"));
      if (isCreated) varied.push(...describe("successStatus"));
      if (operation.id === OPERATIONS.webhooks.test.id) varied.push(...deliveryVariations);
      return {
        status: isCreated && choices.successStatus ? 200 : status,
        headers:
          varied.length > 0 ? { ...headers, [GREASE_HEADER]: [...new Set(varied)].join(", ") } : headers,
        body: JSON.stringify(document),
      };
    },

    rewriteItem: (item: object, schema: TSchema): object => addEverywhere(formatTimes(item, schema), schema),

    rewriteError(error: ProblemError, document: object): RewrittenError {
      const variations = describe("errorShape", "unknownFields");
      if (choices.errorShape === null)
        return { type: null, body: JSON.stringify(addEverywhere(document, problem)), variations };
      const other = renderErrorShape(error, choices.errorShape);
      if ("json" in other)
        return { type: other.type, body: JSON.stringify(addToRoot(other.json)), variations };
      return { type: other.type, body: other.text, variations: variations.slice(0, 1) };
    },
  };
}

/** The records that a client polls until they succeed. */
const SCHEMAS_WITH_STATE: readonly TSchema[] = [job, scan];

/** A page of a list without grease. */
interface ListPage extends Fields {
  readonly data: readonly Fields[];
  readonly nextCursor: string | null;
}

const isPage = (document: Fields): document is ListPage =>
  Array.isArray(document.data) && "nextCursor" in document;

const replaceField = (document: Fields, name: string, field: readonly [string, unknown]): Fields =>
  Object.fromEntries(Object.entries(document).map((entry) => (entry[0] === name ? field : entry)));
