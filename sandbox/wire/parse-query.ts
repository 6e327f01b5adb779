import type { TObject } from "typebox";
import { validationError } from "./problem-error.ts";
import { requireValid, toParameter } from "./validate.ts";

/** Parses and validates a query string; numbers and booleans are those that the schema names. */
export async function parseQuery(text: string, schema: TObject): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = Object.create(null);
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const [value = "", ...more] = parameters.getAll(name);
    if (more.length > 0) {
      const detail = `${name}: given more than once.`;
      throw validationError([{ parameter: name, code: "duplicate", detail }]);
    }
    query[name] = parseValue(
      value,
      (schema.properties[name] as { readonly type?: string } | undefined)?.type,
    );
  }
  await requireValid(query, schema, toParameter);
  return query;
}

/** Text stays text where it does not read as the type; the schema then refuses it. */
function parseValue(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  return type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}
