import type { TSchema } from "typebox";
import { EVENT } from "../event.ts";
import { findComponentName } from "../openapi-components.ts";
import { ALL_OPERATIONS } from "../operations.ts";
import { problem } from "../problems.ts";
import type { FieldSchema, NamePlace } from "./align.ts";

/** A component has its own name, so that what is seen in one operation holds for the others. */
export const namePlace: NamePlace = (schema, fallback) => findComponentName(schema) ?? fallback;

/** Where the contract has a field. */
export interface FieldPlace {
  /** The operation's id, `event`, or `*` for the problem of every operation. */
  readonly operation: string;
  /** The path of the field, as the list of assumptions has it. */
  readonly subject: string;
  readonly place: string;
  readonly field: string;
  readonly schema: FieldSchema;
}

/** Every field of every response, payload and problem. */
export const listFieldPlaces = (): readonly FieldPlace[] => [
  ...ALL_OPERATIONS.flatMap(({ id, response }) => fieldsOf(id, response.schema, id, "")),
  ...fieldsOf(EVENT.id, EVENT.payload, EVENT.id, ""),
  ...fieldsOf("*", problem, "Problem", ""),
];

function fieldsOf(
  operation: string,
  given: TSchema | FieldSchema,
  fallback: string,
  path: string,
): FieldPlace[] {
  const schema = given as FieldSchema;
  const { properties = {}, items, anyOf = [], patternProperties = {} } = schema;
  const place = namePlace(schema, fallback);
  return [
    ...Object.entries(properties).flatMap(([field, inner]) => {
      const subject = path === "" ? field : `${path}.${field}`;
      return [
        { operation, subject, place, field, schema: inner },
        ...fieldsOf(operation, inner, `${place}.${field}`, subject),
      ];
    }),
    ...(items ? fieldsOf(operation, items, `${fallback}[]`, `${path}[]`) : []),
    ...Object.values(patternProperties).flatMap((each) =>
      fieldsOf(operation, each, `${fallback}.*`, `${path}.*`),
    ),
    ...anyOf.flatMap((each) => fieldsOf(operation, each, fallback, path)),
  ];
}
