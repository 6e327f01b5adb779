import type { TSchema } from "typebox";
import { job } from "../../src/contract/diligence.ts";
import type { GreaseDimension } from "../../src/contract/grease.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { problem } from "../../src/contract/problem.ts";
import type { RandomSource } from "../engine/random.ts";
import { UnknownFields } from "./unknown-fields.ts";

/** Where a service may have its job id (product.md §4), ours first. With `Location`, an answer without that header keeps `jobId`. */
const JOB_ID_PLACES = ["jobId", "job_id", "id", "job.id", "Location"] as const;

/** What a service may call the state after a success (product.md §4), ours first. Not the client's list: a shared bug would hide. */
const SUCCESS_NAMES = ["completed", "complete", "succeeded", "success", "done"] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Varies what is only assumed in every JSON answer of an operation and every problem (product.md §5). Each choice is
 * made once, from the seed: a service is of one mind. The OpenAPI document stays: it describes the service ungreased.
 */
export class Grease {
  readonly #jobIdPlace: (typeof JOB_ID_PLACES)[number];
  readonly #successName: string;
  readonly #unknown: UnknownFields | null;

  constructor(dimensions: readonly GreaseDimension[], random: RandomSource) {
    const variant = (dimension: GreaseDimension, count: number): number =>
      dimensions.includes(dimension) ? Number.parseInt(random.hex(`grease_${dimension}`, 4), 16) % count : 0;
    this.#jobIdPlace = JOB_ID_PLACES[variant("jobIdField", JOB_ID_PLACES.length)] ?? "jobId";
    this.#successName = SUCCESS_NAMES[variant("stateName", SUCCESS_NAMES.length)] ?? "completed";
    this.#unknown = dimensions.includes("unknownFields") ? new UnknownFields(random) : null;
  }

  /** The JSON text of an operation's answer, as this service gives it. */
  answer({ answer: { schema }, id }: Operation, headers: Fields, text: string): string {
    if (id === OPERATIONS.document.openapi.id) return text;
    return JSON.stringify(this.#varied(JSON.parse(text), schema, "Location" in headers));
  }

  /** One item of a list too long for {@link answer}. */
  item(item: object, schema: TSchema): object {
    return this.#unknown?.within(item, schema) ?? item;
  }

  problem(document: object): object {
    return this.item(document, problem);
  }

  #varied(document: Fields, schema: TSchema, hasLocation: boolean): object {
    const full = this.item(schema === job ? this.#renamedState(document) : document, schema) as Fields;
    if (!("jobId" in full)) return full;
    if (schema !== job || this.#jobIdPlace !== "job.id") return this.#movedJobId(full, hasLocation);
    const whole = { job: renamed(full, "jobId", ["id", full.jobId]) };
    return this.#unknown?.around(whole) ?? whole;
  }

  #renamedState(record: Fields): Fields {
    return record.state === "completed" ? { ...record, state: this.#successName } : record;
  }

  #movedJobId(document: Fields, hasLocation: boolean): Fields {
    const { jobId } = document;
    switch (this.#jobIdPlace) {
      case "Location":
        return hasLocation ? without(document, "jobId") : document;
      case "job.id":
        return renamed(document, "jobId", ["job", { id: jobId }]);
      default:
        return renamed(document, "jobId", [this.#jobIdPlace, jobId]);
    }
  }
}

/** With another field in the place of `name`. */
const renamed = (document: Fields, name: string, other: readonly [string, unknown]): Fields =>
  Object.fromEntries(Object.entries(document).map((field) => (field[0] === name ? other : field)));

const without = (document: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(document).filter(([field]) => field !== name));
