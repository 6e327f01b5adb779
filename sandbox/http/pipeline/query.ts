import type { TObject } from "typebox";
import { validationError } from "../../wire/problem-error.ts";
import { requireValid } from "./validate.ts";

/** The parameters of a query, held against the row's schema; a whole number is one where the schema says so. */
export async function parseQuery(text: string, schema: TObject): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = Object.create(null);
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const [value = "", ...more] = parameters.getAll(name);
    if (more.length > 0) {
      const detail = `${name}: is there more than once.`;
      throw validationError([{ parameter: name, code: "duplicate", detail }]);
    }
    const isNumber = (schema.properties[name] as { readonly type?: string } | undefined)?.type === "integer";
    query[name] = isNumber && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  await requireValid(query, schema, (pointer) => ({ parameter: pointer.slice(1) }));
  return query;
}
