import Type, { type TProperties, type TSchema } from "typebox";
import { assumed, fields, type Gap, type Label } from "./basis.ts";

// Shapes that more than one noun has.

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** RFC 3339, UTC. */
export const instant = () => Type.String({ format: "date-time" });

export const uuid = () => Type.String({ format: "uuid" });

/** Characters; no id has as many. */
const LONGEST_ID = 100;

/** What a request names something by. Not held to the form of our own ids: one that nobody has is not found. */
export const anId = (what: string) =>
  Type.String({ maxLength: LONGEST_ID, description: `the id of a ${what}` });

/** Characters. */
const LONGEST_EMAIL = 254;

/** Two lines in a name or subject are how headers are forged, and an escape sequence how a terminal is. */
const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";

/** Text of 1 to `longest` characters in one line. */
export const line = (longest: number, what: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: longest, pattern: `^(?=.*\\S)[^${CONTROLS}]*$` },
    description: `${what} in one line that is not blank`,
  });

export const email = () =>
  Type.String({
    ...{ maxLength: LONGEST_EMAIL, pattern: `^[^@\\s${CONTROLS}]+@[^@\\s${CONTROLS}]+$` },
    description: "an e-mail address",
  });

export const environment = () => Type.Enum(["sandbox", "production"]);

export const count = () => Type.Integer({ minimum: 0 });

export const cents = () => Type.Integer({ minimum: 0, description: "Integer US cents" });

/** Beside every amount that is not of a diligence report (product.md §5). */
export const currency = () => Type.Enum(["USD"]);

/** Rows of a page, unless the caller asks for another number. */
export const PAGE_LIMIT = { usual: 50, most: 200 } as const;

const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT.most,
      description: `Rows of a page (${PAGE_LIMIT.usual})`,
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
  Type.Object(fields(assumed(gap), { ...filters, ...pageQuery }), { additionalProperties: false });

const pageOf = <S extends TSchema>(gap: Gap, item: S) =>
  Type.Object(fields(assumed(gap), { data: Type.Array(item), nextCursor: nullable(Type.String()) }));

/**
 * The answer of a list: a page of it.
 *
 * @param gap the part of the interface that leaves the paging open
 */
export const pageAnswer = <S extends TSchema>(gap: Gap, label: Label, item: S) =>
  ({
    status: 200,
    label,
    schema: pageOf(gap, item),
    headers: { Link: 'rel="next" leads to the next page, where there is one (RFC 8288)' },
  }) as const;
