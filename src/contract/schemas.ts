import type { Static, TProperties, TSchema } from "typebox";
import * as Type from "typebox";
import { ENVIRONMENTS } from "../domain/environments.ts";
import { EVENT_NAME_PATTERN, MAX_EVENT_NAME_LENGTH } from "../domain/webhooks/event-types.ts";
import { assumed, type FieldBasis, labelFields, type SourcedBasis } from "./labels.ts";
import type { OpenStatementId } from "./statements.ts";

// Schemas that several nouns share.

/** A value that its reader must not change. */
export type Immutable<T> = T extends object ? { readonly [Name in keyof T]: Immutable<T[Name]> } : T;

export type ReadonlyStatic<S extends TSchema> = Immutable<Static<S>>;

export const labelledObject = <P extends TProperties>(label: FieldBasis, fields: P) =>
  Type.Object(labelFields(label, fields));

export const closedObject = <P extends TProperties>(fields: P, options?: { description: string }) =>
  Type.Object(fields, { additionalProperties: false, ...options });

export const labelledClosedObject = <P extends TProperties>(label: FieldBasis, fields: P) =>
  closedObject(labelFields(label, fields));

export const jsonBody = <P extends TProperties>(label: FieldBasis, fields: P) =>
  ({ kind: "json", schema: labelledClosedObject(label, fields) }) as const;

export const textType = (description: string) => Type.String({ description });

export const nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** An object whose names no schema lists. Typebox's own would load its engine for types, 11 ms of every request. */
export const mapOf = <S extends TSchema>(values: S, options?: { description: string }) =>
  Type.Unsafe<Record<string, Static<S>>>({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  });

export const headerPairs = (description = "Names and values as they were sent, in order") =>
  Type.Array(
    Type.Unsafe<readonly [name: string, value: string]>(
      Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
    ),
    { description },
  );

/** RFC 3339, UTC. */
export const dateTime = (description?: string) =>
  Type.String({
    format: "date-time",
    ...(description !== undefined && { description: `RFC 3339, ${description}` }),
  });

export const date = () => Type.String({ format: "date" });

export const uuid = () => Type.String({ format: "uuid" });

/** Characters; no id has as many. */
export const MAX_ID_LENGTH = 100;

/** The id of a record in a request. It need not have the form of our own ids: an unknown one is not found. */
export const idReference = (noun: string) =>
  Type.String({ maxLength: MAX_ID_LENGTH, description: `the id of a ${noun}` });

/** @param form what a message says of it */
export const eventName = (form: string) =>
  Type.String({
    maxLength: MAX_EVENT_NAME_LENGTH,
    pattern: EVENT_NAME_PATTERN.source,
    description: `an event name: ${form}`,
  });

/** Characters. */
const MAX_EMAIL_LENGTH = 254;

/** A second line in a name or subject can forge a header, and an escape sequence can forge a terminal's output. */
const CONTROL_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f";

/** Text of 1 to `maxLength` characters in one line. */
export const singleLine = (maxLength: number, noun: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?=.*\\S)[^${CONTROL_CHARACTERS}]*$`,
    description: `${noun} in one line that is not blank`,
  });

export const email = () =>
  Type.String({
    maxLength: MAX_EMAIL_LENGTH,
    pattern: `^[^@\\s${CONTROL_CHARACTERS}]+@[^@\\s${CONTROL_CHARACTERS}]+$`,
    description: "an e-mail address",
  });

export const environment = () => Type.Enum([...ENVIRONMENTS]);

export const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });

export const cents = () => Type.Integer({ minimum: 0, description: "Integer US cents" });

/** Accompanies every amount that is not part of a diligence report (product.md §5). */
export const currency = () => Type.Enum(["USD"]);

export const grade = () => Type.Enum(["A", "B", "C", "D", "X"]);

export const byGrade = <S extends TSchema>(label: SourcedBasis, schema: S) =>
  labelledObject(label, { A: schema, B: schema, C: schema, D: schema, X: schema });

export const PAGE_LIMIT = { default: 50, max: 200 } as const;

/** A list operation: filtered, paged, newest first (product.md §5). @param openStatement what leaves query and paging open */
export const definePagedListOperation = <S extends TSchema, P extends TProperties>(
  openStatement: OpenStatementId,
  basis: SourcedBasis,
  item: S,
  filters: P,
) =>
  ({
    query: labelledClosedObject(assumed(openStatement), {
      ...filters,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE_LIMIT.max,
          description: `Rows per page (${PAGE_LIMIT.default})`,
        }),
      ),
      cursor: Type.Optional(Type.String({ description: "The nextCursor of the previous page" })),
    }),
    response: {
      status: 200,
      label: basis,
      schema: labelledObject(assumed(openStatement), {
        data: Type.Array(item),
        nextCursor: nullable(Type.String()),
      }),
      headers: { Link: 'rel="next" leads to the next page, where there is one (RFC 8288)' },
    },
    problems: ["cursor_invalid"],
  }) as const;
