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
import { type Fields, moveJobId, replaceField } from "./job-id.ts";
import { isPage, reorderPage, wrapPage } from "./pages.ts";
import { formatTimes } from "./record-times.ts";
import type { ServiceVariant } from "./service-variant.ts";

/** An error as it goes out. */
interface GreasedError {
  /** Null for a problem document. */
  readonly type: string | null;
  readonly body: string;
  readonly variations: readonly string[];
}

/**
 * Varies what is only assumed in every JSON answer of an operation and every problem (product.md §5), and tells in
 * {@link GREASE_HEADER} what it has touched. The OpenAPI document stays: it describes the service ungreased.
 */
export class ResponseGrease {
  readonly #variant: ServiceVariant;
  readonly #choices: GreaseChoices;

  constructor(form: ServiceVariant) {
    this.#variant = form;
    this.#choices = form.choices;
  }

  /** An operation's answer, as this service gives it. */
  varyResponse(operation: Operation, { status, headers, body }: FinishedResponse): FinishedResponse {
    if (operation.id === OPERATIONS.document.openapi.id) return { status, headers, body };
    const { document, varied } = this.#varyDocument(operation, JSON.parse(body), "Location" in headers);
    const isCreated = status !== 200 && statusLabelOf(operation.response).basis === "assumed";
    const touched = [
      ...varied,
      ...(isCreated ? describeVariations(this.#choices, "successStatus") : []),
      ...(operation.id === OPERATIONS.webhooks.test.id ? this.#variant.deliveryVariations : []),
    ];
    return {
      status: isCreated && this.#choices.successStatus ? 200 : status,
      headers:
        touched.length > 0 ? { ...headers, [GREASE_HEADER]: [...new Set(touched)].join(", ") } : headers,
      body: JSON.stringify(document),
    };
  }

  /** One item of a list too long for {@link varyResponse}. */
  varyItem(item: object, schema: TSchema): object {
    const timed = formatTimes(item, schema, this.#choices.timestampFormat);
    return this.#variant.unknownFields?.addEverywhere(timed, schema) ?? timed;
  }

  /** What of any item is varied. */
  get itemVariations(): readonly string[] {
    return describeVariations(this.#choices, "unknownFields");
  }

  varyError(refused: ProblemError, document: object): GreasedError {
    const other = renderErrorShape(refused, this.#choices.errorShape);
    const varied = describeVariations(this.#choices, "errorShape");
    if (other && "text" in other) return { type: other.type, body: other.text, variations: varied };
    const { unknownFields: unknown } = this.#variant;
    const json = other
      ? (unknown?.addToRoot(other.json) ?? other.json)
      : (unknown?.addEverywhere(document, problem) ?? document);
    return {
      type: other?.type ?? null,
      body: JSON.stringify(json),
      variations: [...varied, ...describeVariations(this.#choices, "unknownFields")],
    };
  }

  /** One dimension after the other; what a change leaves as it is, it has not touched. */
  #varyDocument({ id, response: { schema } }: Operation, sent: Fields, hasLocation: boolean) {
    const { stateName, listOrder, timestampFormat, listEnvelope, jobIdField } = this.#choices;
    const changes: readonly [GreaseDimension, (document: Fields) => object][] = [
      ["stateName", (it) => (SCHEMAS_WITH_STATE.includes(schema) ? renameState(it, stateName) : it)],
      ["listOrder", (it) => (isPage(it) ? reorderPage(it, listOrder) : it)],
      ["unknownFields", (it) => this.#variant.unknownFields?.addEverywhere(it, schema) ?? it],
      ["timestampFormat", (it) => formatTimes(it, schema, timestampFormat)],
      ["listEnvelope", (it) => (isPage(it) ? wrapPage(it, listEnvelope) : it)],
      [
        "jobIdField",
        (it) => (isJobOperation(id) ? this.#moveJobId(it, schema, jobIdField, hasLocation) : it),
      ],
    ];
    const varied: string[] = [];
    let document: object = sent;
    for (const [dimension, change] of changes) {
      if (this.#choices[dimension] === null) continue;
      const changed = change(document as Fields);
      if (changed !== document) varied.push(...describeVariations(this.#choices, dimension));
      document = changed;
    }
    return { document, varied };
  }

  #moveJobId(
    document: Fields,
    schema: TSchema,
    place: GreaseChoices["jobIdField"],
    hasLocation: boolean,
  ): object {
    if (schema !== job || place !== "job.id") return moveJobId(document, place, hasLocation);
    const whole = { job: replaceField(document, "jobId", ["id", document.jobId]) };
    return this.#variant.unknownFields?.addToRoot(whole) ?? whole;
  }
}

/** What ends in a success, and is asked again until it does. */
const SCHEMAS_WITH_STATE: readonly TSchema[] = [job, scan];

const renameState = (record: Fields, name: string | null): Fields =>
  record.state === "completed" ? { ...record, state: name } : record;

/** Where the field is of the job itself (interface §4); elsewhere it refers to one. */
const isJobOperation = (operation: string): boolean => operation.startsWith("diligence.");
