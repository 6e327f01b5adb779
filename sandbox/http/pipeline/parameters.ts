import Type from "typebox";
import type { Operation } from "../../../src/contract/operation.ts";
import { parseQuery, toParameter } from "../../wire/parse-query.ts";
import { requireValid } from "../../wire/validate.ts";
import type { Step } from "../request-state.ts";

/** Validates the path parameters where the row has a schema for them. */
export const validateParams =
  ({ params }: Operation): Step =>
  async (ctx, next) => {
    ctx.state.params = ctx.params;
    if (params) await requireValid(ctx.params, params, toParameter);
    return next();
  };

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/**
 * Parses and validates the query. A row without a query refuses any parameter, because a filter without effect would
 * mislead; the token route ignores them (RFC 6749 §3.2).
 */
export const validateQuery =
  ({ query, auth }: Operation): Step =>
  async (ctx, next) => {
    const { querystring, state } = ctx;
    if (query) state.query = await parseQuery(querystring, query);
    else if (querystring !== "" && auth !== "client") await parseQuery(querystring, NO_QUERY);
    return next();
  };
