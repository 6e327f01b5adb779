import Type, { type TProperties, type TSchema } from "typebox";
import { assumed, type Gap, type Label, labelFields } from "./labels.ts";

// Shapes that more than one noun has.

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** RFC 3339, UTC. */
export const dateTime = () => Type.String({ format: "date-time" });

export const uuid = () => Type.String({ format: "uuid" });

/** Characters; no id has as many. */
const MAX_ID_LENGTH = 100;

/** What a request names something by. Not held to the form of our own ids: one that nobody has is not found. */
export const idReference = (what: string) =>
  Type.String({ maxLength: MAX_ID_LENGTH, description: `the id of a ${what}` });

/** Characters. */
const MAX_EMAIL_LENGTH = 254;

/** Two lines in a name or subject are how headers are forged, and an escape sequence how a terminal is. */
const CONTROL_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f";

/** Text of 1 to `longest` characters in one line. */
export const singleLine = (maxLength: number, what: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: maxLength, pattern: `^(?=.*\\S)[^${CONTROL_CHARACTERS}]*$` },
    description: `${what} in one line that is not blank`,
  });

export const email = () =>
  Type.String({
    ...{
      maxLength: MAX_EMAIL_LENGTH,
      pattern: `^[^@\\s${CONTROL_CHARACTERS}]+@[^@\\s${CONTROL_CHARACTERS}]+$`,
    },
    description: "an e-mail address",
  });

export const environment = () => Type.Enum(["sandbox", "production"]);

export const count = () => Type.Integer({ minimum: 0 });

export const cents = () => Type.Integer({ minimum: 0, description: "Integer US cents" });

/** Beside every amount that is not of a diligence report (product.md §5). */
export const currency = () => Type.Enum(["USD"]);

/** Rows of a page, unless the caller asks for another number. */
export const PAGE_LIMIT = { default: 50, max: 200 } as const;

const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT.max,
      description: `Rows of a page (${PAGE_LIMIT.default})`,
    }),
  ),
  cursor: Type.Optional(Type.String({ description: "The nextCursor of the page before" })),
};

/**
 * The query of a list: what it is filtered by, and a page, newest first (product.md §5).
 *
 * @param gap the part of the interface that leaves the query open
 */
export const listQuery = <P extends TProperties>(gap: Gap, filters: P) =>
  Type.Object(labelFields(assumed(gap), { ...filters, ...pageQuery }), { additionalProperties: false });

const pageSchema = <S extends TSchema>(gap: Gap, item: S) =>
  Type.Object(labelFields(assumed(gap), { data: Type.Array(item), nextCursor: nullable(Type.String()) }));

/**
 * The answer of a list: a page of it.
 *
 * @param gap the part of the interface that leaves the paging open
 */
export const pageResponse = <S extends TSchema>(gap: Gap, label: Label, item: S) =>
  ({
    status: 200,
    label,
    schema: pageSchema(gap, item),
    headers: { Link: 'rel="next" leads to the next page, where there is one (RFC 8288)' },
  }) as const;
