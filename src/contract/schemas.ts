import Type, { type TSchema } from "typebox";
import { assumed, fields } from "./basis.ts";

// Shapes that more than one noun has.

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** RFC 3339, UTC. */
export const instant = () => Type.String({ format: "date-time" });

export const uuid = () => Type.String({ format: "uuid" });

export const environment = () => Type.Enum(["sandbox", "production"]);

/** Rows of a page, unless the caller asks for another number. */
export const PAGE_LIMIT = { usual: 50, most: 200 } as const;

/** The query of every list: a page, newest first (product.md §5). */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT.most,
      description: `Rows of a page (${PAGE_LIMIT.usual})`,
    }),
  ),
  cursor: Type.Optional(Type.String({ description: "The nextCursor of the page before" })),
};

/** A page of a list. */
export const pageOf = <S extends TSchema>(item: S) =>
  Type.Object(fields(assumed("paging"), { data: Type.Array(item), nextCursor: nullable(Type.String()) }));

/** What the answer of a list has beside its body. */
export const PAGE_HEADERS = {
  Link: 'rel="next" leads to the next page, where there is one (RFC 8288)',
} as const;
