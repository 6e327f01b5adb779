import type { TSchema } from "typebox";
import { job } from "../../../src/contract/diligence.ts";
import { GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import { type Operation, statusLabelOf } from "../../../src/contract/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations.ts";
import { problem } from "../../../src/contract/problems.ts";
import { scan } from "../../../src/contract/scans.ts";
import type { FinishedResponse } from "../../store/stored-responses.ts";
import type { ProblemError } from "../../wire/problem-error.ts";
import { describeVariations, type GreaseChoices } from "./choices.ts";
import { renderErrorShape } from "./error-shape.ts";
import { formatRecordTime } from "./formats.ts";
import { mapBySchema } from "./map-by-schema.ts";
import type { ServiceVariant } from "./service-variant.ts";

interface GreasedError {
  /** Null for a problem document. */
  readonly type: string | null;
  readonly body: string;
  readonly variations: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Varies what is only assumed in the JSON responses of operations and in problems (product.md §5), and lists in
 * {@link GREASE_HEADER} what it changed. The OpenAPI document stays: it describes the service without grease.
 */
export class ResponseGrease {
  readonly #variant: ServiceVariant;
  readonly #choices: GreaseChoices;

  constructor(variant: ServiceVariant) {
    this.#variant = variant;
    this.#choices = variant.choices;
  }

  varyResponse(operation: Operation, { status, headers, body }: FinishedResponse): FinishedResponse {
    if (operation.id === OPERATIONS.document.openapi.id) return { status, headers, body };
    const { document, varied } = this.#varyDocument(operation, JSON.parse(body), "Location" in headers);
    const isCreated = status !== 200 && statusLabelOf(operation.response).basis === "assumed";
    if (isCreated) varied.push(...describeVariations(this.#choices, ["successStatus"]));
    if (operation.id === OPERATIONS.webhooks.test.id) varied.push(...this.#variant.deliveryVariations);
    return {
      status: isCreated && this.#choices.successStatus ? 200 : status,
      headers: varied.length > 0 ? { ...headers, [GREASE_HEADER]: [...new Set(varied)].join(", ") } : headers,
      body: JSON.stringify(document),
    };
  }

  /** Varies one item of a list that is too long for {@link varyResponse}. */
  varyItem(item: object, schema: TSchema): object {
    return this.#variant.addEverywhere(this.#formatTimes(item, schema), schema);
  }

  /** The variations of any item. */
  get itemVariations(): readonly string[] {
    return describeVariations(this.#choices, ["unknownFields"]);
  }

  varyError(error: ProblemError, document: object): GreasedError {
    const { errorShape } = this.#choices;
    const variations = describeVariations(this.#choices, ["errorShape", "unknownFields"]);
    if (errorShape === null) {
      const body = JSON.stringify(this.#variant.addEverywhere(document, problem));
      return { type: null, body, variations };
    }
    const other = renderErrorShape(error, errorShape);
    if ("json" in other)
      return { type: other.type, body: JSON.stringify(this.#variant.addToRoot(other.json)), variations };
    return { type: other.type, body: other.text, variations: variations.slice(0, 1) };
  }

  /** Applies the dimensions in this order; a change that returns its argument does not count. */
  #varyDocument({ id, response: { schema } }: Operation, sent: Fields, hasLocation: boolean) {
    const changes: readonly [GreaseDimension, (document: Fields) => object][] = [
      ["stateName", (it) => (SCHEMAS_WITH_STATE.includes(schema) ? this.#renameState(it) : it)],
      ["listOrder", (it) => (isPage(it) ? this.#reorderPage(it) : it)],
      ["unknownFields", (it) => this.#variant.addEverywhere(it, schema)],
      ["timestampFormat", (it) => this.#formatTimes(it, schema)],
      ["listEnvelope", (it) => (isPage(it) ? this.#wrapPage(it) : it)],
      // Elsewhere the field refers to a job (interface §4).
      ["jobIdField", (it) => (id.startsWith("diligence.") ? this.#moveJobId(it, schema, hasLocation) : it)],
    ];
    const varied: string[] = [];
    let document: object = sent;
    for (const [dimension, change] of changes) {
      if (this.#choices[dimension] === null) continue;
      const changed = change(document as Fields);
      if (changed !== document) varied.push(...describeVariations(this.#choices, [dimension]));
      document = changed;
    }
    return { document, varied };
  }

  #renameState = (record: Fields): Fields =>
    record.state === "completed" ? { ...record, state: this.#choices.stateName } : record;

  /** Each page has its own order. Ids are random: sorting by them is a disorder that is always the same. */
  #reorderPage(page: ListPage): ListPage {
    if (page.data.length < 2) return page;
    const isReversed = this.#choices.listOrder === "oldest-first";
    const data = isReversed
      ? page.data.toReversed()
      : page.data.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
    return { ...page, data };
  }

  /** Keeps unknown fields, except in a bare array, which has no place for them. */
  #wrapPage({ data, nextCursor, ...others }: ListPage): object {
    switch (this.#choices.listEnvelope) {
      case "items":
        return { items: data, next_cursor: nextCursor, ...others };
      case "results":
        return { ...others, results: data, next: nextCursor };
      default:
        return data;
    }
  }

  /** Formats every time that the schema names; dates without a time stay. */
  #formatTimes(document: object, schema: TSchema): object {
    const { timestampFormat } = this.#choices;
    if (timestampFormat === null) return document;
    let hasChanged = false;
    const changed = mapBySchema(document, schema, (value, { format }) => {
      if (typeof value !== "string" || format !== "date-time") return value;
      const formatted = formatRecordTime(value, timestampFormat);
      hasChanged ||= formatted !== value;
      return formatted;
    });
    return hasChanged ? (changed as object) : document;
  }

  #moveJobId(document: Fields, schema: TSchema, hasLocation: boolean): object {
    const { jobId, ...others } = document;
    const place = this.#choices.jobIdField;
    if (place === "Location") return hasLocation ? others : document;
    if (place !== "job.id") return replaceField(document, "jobId", [String(place), jobId]);
    if (schema !== job) return replaceField(document, "jobId", ["job", { id: jobId }]);
    return this.#variant.addToRoot({ job: replaceField(document, "jobId", ["id", jobId]) });
  }
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
