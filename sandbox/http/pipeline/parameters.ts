import Type, { type TObject } from "typebox";
import type { Operation } from "../../../src/contract/operation.ts";
import { validationError } from "../../wire/problem-error.ts";
import type { Step } from "../request-state.ts";
import { requireValid } from "./validate.ts";

/** Validates the path parameters where the row has a schema for them. */
export const validateParams =
  ({ params: schema }: Pick<Operation, "params">): Step =>
  async (ctx, next) => {
    ctx.state.params = ctx.params;
    if (schema) await requireValid(ctx.params, schema, toParameter);
    return next();
  };

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/**
 * Parses and validates the query. A row without a query refuses any parameter: a filter that has no effect would mislead.
 * The token route ignores them (RFC 6749 §3.2).
 */
export function parseQuery({ query, auth }: Pick<Operation, "query" | "auth">): Step {
  const schema = query ?? NO_QUERY;
  return async (ctx, next) => {
    if (query || (ctx.querystring !== "" && auth !== "client"))
      ctx.state.query = await parseQueryString(ctx.querystring, schema);
    return next();
  };
}

async function parseQueryString(text: string, schema: TObject): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = Object.create(null);
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const [value = "", ...more] = parameters.getAll(name);
    if (more.length > 0)
      throw validationError([
        { parameter: name, code: "duplicate", detail: `${name}: given more than once.` },
      ]);
    const isNumber = (schema.properties[name] as { readonly type?: string } | undefined)?.type === "integer";
    query[name] = isNumber && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  await requireValid(query, schema, toParameter);
  return query;
}

const toParameter = (pointer: string) => ({ parameter: pointer.slice(1) });
