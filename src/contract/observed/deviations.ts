import { compareContracts } from "../compare/compare-contracts.ts";
import type { Node } from "../compare/contract-reader.ts";
import type { Difference } from "../compare/difference.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../operations.ts";
import { chooseDescription, type FieldSchema } from "./align.ts";
import type { ObservedService } from "./observed-service.ts";
import { namePlace } from "./places.ts";

/**
 * What the contract of a service does not have of what was observed, or has in another form. What it has besides is no
 * deviation.
 */
export const listDeviations = (service: ObservedService, live: Node): Difference[] =>
  compareContracts(describeObservations(service), live).filter(
    ({ effect, location }) =>
      location === "status" || (effect === "breaks" && /^(response|$)/.test(location)),
  );

/** The successful responses that were seen, with the observed fields alone. */
function describeObservations(service: ObservedService): Node {
  const paths: Record<string, Node> = {};
  for (const { id, path, method, response } of ALL_OPERATIONS) {
    const seen = service.responses.find(({ operation, status }) => operation === id && status < 300);
    if (!seen || id === OPERATIONS.document.openapi.id) continue;
    const { list, status, wrapper } = seen;
    const document = describeSchema(service, id, response.schema as FieldSchema, id, list?.items);
    const schema = wrapper === null ? document : toObject({ [wrapper]: document });
    const content = { "application/json": { schema } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: { [status]: { content } } } };
  }
  return { openapi: "3.1.0", paths };
}

/** @param items the field of the items of a page, null for a bare array */
function describeSchema(
  service: ObservedService,
  operation: string,
  given: FieldSchema,
  fallback: string,
  items?: string | null,
): Node {
  const schema = chooseDescription(given);
  const describe = (inner: FieldSchema, place: string) => describeSchema(service, operation, inner, place);
  if (schema.items) return { type: ["array", "null"], items: describe(schema.items, `${fallback}[]`) };
  if (!schema.properties) return {};
  const { data, ...others } = schema.properties;
  const list = items !== undefined && data ? describe(data, `${fallback}.data`) : null;
  if (list && items === null) return list;
  const place = namePlace(schema, fallback);
  const fields = Object.entries(list ? others : schema.properties).flatMap(([field, inner]) => {
    const seen = service.fields.find(
      (each) =>
        each.operation === operation && each.place === place && each.field === field && each.status < 300,
    );
    if (!seen || seen.name === null) return [];
    const isStructure = chooseDescription(inner).properties ?? chooseDescription(inner).items;
    const value = isStructure ? describe(inner, `${place}.${field}`) : describeForms(seen.forms);
    const [outer = "", nested] = seen.name.split(".");
    return [[outer, nested === undefined ? value : toObject({ [nested]: value })] as const];
  });
  return toObject({ ...(list && { [items ?? ""]: list }), ...Object.fromEntries(fields) });
}

const toObject = (properties: Node): Node => ({ type: ["object", "null"], properties });

/** JSON Schema's formats for ours. */
const FORMATS: Readonly<Record<string, string>> = {
  "text:uuid": "uuid",
  "text:date": "date",
  "text:date-time": "date-time",
  "text:date-time-offset": "date-time",
};

/** A field can be null, and an integer a number, although that was not seen. */
function describeForms(forms: readonly string[]): Node {
  const kinds = new Set(forms.map((form) => form.split(":")[0] ?? "").filter((kind) => kind !== "null"));
  if (kinds.size === 0) return {};
  const types = [...kinds].flatMap((kind) => {
    if (kind === "text") return ["string"];
    return kind === "integer" || kind === "decimal" ? ["integer", "number"] : [kind];
  });
  const [format, second] = new Set(forms.flatMap((form) => (form === "null" ? [] : [FORMATS[form] ?? ""])));
  return { type: [...new Set([...types, "null"])], ...(format && second === undefined && { format }) };
}
