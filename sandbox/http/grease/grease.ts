import type { TSchema } from "typebox";
import { job } from "../../../src/contract/diligence.ts";
import { GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import { type Operation, statusLabelOf } from "../../../src/contract/operation.ts";
import { OPERATIONS } from "../../../src/contract/operations.ts";
import { problem } from "../../../src/contract/problem.ts";
import { scan } from "../../../src/contract/scans.ts";
import { type Choices, told } from "../../engine/grease/choices.ts";
import type { ServiceForm } from "../../engine/grease/service-form.ts";
import type { ProblemError } from "../../refusal.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../../wire/content-types.ts";
import type { FinishedAnswer } from "../idempotency.ts";
import { otherErrorShape } from "./error-shape.ts";
import { type Fields, movedJobId, renamed } from "./job-id.ts";
import { inEnvelope, inOrder, isPage } from "./pages.ts";
import { withTimes } from "./record-times.ts";

/** An error as it goes out. */
interface ErrorAnswer {
  readonly type: string;
  readonly body: string;
  readonly varied: readonly string[];
}

/**
 * Varies what is only assumed in every JSON answer of an operation and every problem (product.md §5), and tells in
 * {@link GREASE_HEADER} what it has touched. The OpenAPI document stays: it describes the service ungreased.
 */
export class Grease {
  readonly #form: ServiceForm;
  readonly #choices: Choices;

  constructor(form: ServiceForm) {
    this.#form = form;
    this.#choices = form.choices;
  }

  /** An operation's answer, as this service gives it. */
  answer(operation: Operation, { status, headers, body }: FinishedAnswer): FinishedAnswer {
    if (operation.id === OPERATIONS.document.openapi.id) return { status, headers, body };
    const { document, varied } = this.#varied(operation, JSON.parse(body), "Location" in headers);
    const isCreated = status !== 200 && statusLabelOf(operation.answer).basis === "assumed";
    const touched = [
      ...varied,
      ...(isCreated ? told(this.#choices, "successStatus") : []),
      ...(operation.id === OPERATIONS.webhooks.test.id ? this.#form.deliveryVaried : []),
    ];
    return {
      status: isCreated && this.#choices.successStatus ? 200 : status,
      headers:
        touched.length > 0 ? { ...headers, [GREASE_HEADER]: [...new Set(touched)].join(", ") } : headers,
      body: JSON.stringify(document),
    };
  }

  /** One item of a list too long for {@link answer}. */
  item(item: object, schema: TSchema): object {
    const timed = withTimes(item, schema, this.#choices.timestampFormat);
    return this.#form.unknown?.within(timed, schema) ?? timed;
  }

  /** What of any item is varied. */
  get itemVaried(): readonly string[] {
    return told(this.#choices, "unknownFields");
  }

  error(refused: ProblemError, document: object): ErrorAnswer {
    const other = otherErrorShape(refused, this.#choices.errorShape);
    const varied = told(this.#choices, "errorShape");
    if (other && "text" in other) return { type: other.type, body: other.text, varied };
    const { unknown } = this.#form;
    const json = other
      ? (unknown?.around(other.json) ?? other.json)
      : (unknown?.within(document, problem) ?? document);
    return {
      type: other ? JSON_TYPE : PROBLEM_TYPE,
      body: JSON.stringify(json),
      varied: [...varied, ...told(this.#choices, "unknownFields")],
    };
  }

  /** One dimension after the other; what a change leaves as it is, it has not touched. */
  #varied({ id, answer: { schema } }: Operation, sent: Fields, hasLocation: boolean) {
    const { stateName, listOrder, timestampFormat, listEnvelope, jobIdField } = this.#choices;
    const changes: readonly [GreaseDimension, (document: Fields) => object][] = [
      ["stateName", (it) => (HAS_STATE.includes(schema) ? renamedState(it, stateName) : it)],
      ["listOrder", (it) => (isPage(it) ? inOrder(it, listOrder) : it)],
      ["unknownFields", (it) => this.#form.unknown?.within(it, schema) ?? it],
      ["timestampFormat", (it) => withTimes(it, schema, timestampFormat)],
      ["listEnvelope", (it) => (isPage(it) ? inEnvelope(it, listEnvelope) : it)],
      ["jobIdField", (it) => (isOfJob(id) ? this.#movedJobId(it, schema, jobIdField, hasLocation) : it)],
    ];
    const varied: string[] = [];
    let document: object = sent;
    for (const [dimension, change] of changes) {
      if (this.#choices[dimension] === null) continue;
      const changed = change(document as Fields);
      if (changed !== document) varied.push(...told(this.#choices, dimension));
      document = changed;
    }
    return { document, varied };
  }

  #movedJobId(document: Fields, schema: TSchema, place: Choices["jobIdField"], hasLocation: boolean): object {
    if (schema !== job || place !== "job.id") return movedJobId(document, place, hasLocation);
    const whole = { job: renamed(document, "jobId", ["id", document.jobId]) };
    return this.#form.unknown?.around(whole) ?? whole;
  }
}

/** What ends in a success, and is asked again until it does. */
const HAS_STATE: readonly TSchema[] = [job, scan];

const renamedState = (record: Fields, name: string | null): Fields =>
  record.state === "completed" ? { ...record, state: name } : record;

/** Where the field is of the job itself (interface §4); elsewhere it refers to one. */
const isOfJob = (operation: string): boolean => operation.startsWith("diligence.");
