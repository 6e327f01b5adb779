import { isRecord } from "../../domain/json.ts";
import { sha256Hex, toCanonicalJson } from "../hash.ts";
import { type Contract, getContract } from "../openapi.ts";
import type { JsonObject } from "../openapi-components.ts";
import { ALL_OPERATIONS, OPERATIONS } from "../operations.ts";
import type { FieldSchema } from "./align.ts";
import { isOurForm } from "./assess.ts";
import type { ErrorForm, ObservedService } from "./observed-service.ts";

type SeenField = ObservedService["fields"][number];
type SeenResponse = ObservedService["responses"][number];

/**
 * The contract of an observed service: ours, with the names and forms that were seen in place of what is assumed. Those are
 * labelled `observed`, and what was not seen stays assumed. No observation changes what the interface documents.
 */
export function buildObservedDocument(service: ObservedService): Contract {
  const document = JSON.parse(getContract().canonicalJson);
  document.info.description =
    "The contract of an observed service. x-basis says whether the interface documents a thing, the service was observed to have it, or it is assumed.";
  for (const [name, schema] of Object.entries(document.components.schemas as Record<string, JsonObject>))
    document.components.schemas[name] = rewrite(service, schema, name);
  const items = Object.values({ ...document.paths, ...document.webhooks }) as Record<string, JsonObject>[];
  for (const operation of items.flatMap((item) => Object.values(item)))
    if (isRecord(operation)) rewriteOperation(service, operation as DescribedOperation);
  const canonicalJson = toCanonicalJson(document);
  return { document, canonicalJson, hash: sha256Hex(canonicalJson) };
}

type Content = Record<string, { schema: JsonObject }>;

interface DescribedOperation {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Record<string, { content?: Content; "x-status"?: JsonObject }>;
}

function rewriteOperation(
  service: ObservedService,
  { operationId = "", requestBody, responses = {} }: DescribedOperation,
): void {
  const payload = requestBody?.content["application/json"];
  if (operationId === "event" && payload) payload.schema = rewrite(service, payload.schema, operationId);
  // The paths of an alias have the operation's id with a suffix.
  const row = ALL_OPERATIONS.find(({ id }) => operationId === id || operationId.startsWith(`${id}.`));
  if (!row) return;
  const { id, response } = row;
  const seen = mostFrequent(
    service.responses.filter(({ operation, status }) => operation === id && status < 300),
  );
  const success = responses[response.status];
  const json = success?.content?.["application/json"];
  if (json) json.schema = rewriteResponse(service, rewrite(service, json.schema, id), seen);
  const isFixed = success?.["x-status"]?.["x-basis"] === "documented";
  if (seen && success && seen.status !== response.status && !isFixed) {
    delete responses[response.status];
    responses[seen.status] = { ...success, "x-status": label(seen) };
  }
  const error = mostFrequent(service.errors.filter((each) => each.operation !== OPERATIONS.oauth.token.id));
  if (!error || row.auth === "client" || error.form === "problem" || error.form === "other") return;
  for (const [status, described] of Object.entries(responses))
    if (Number(status) >= 400) described.content = describeError(error.form, label(error));
}

/** The document within its wrapper, or a page with its list. */
function rewriteResponse(
  service: ObservedService,
  schema: JsonObject,
  seen: SeenResponse | undefined,
): JsonObject {
  if (!seen) return schema;
  if (seen.wrapper !== null) {
    const others = listUnknownFields(service, `${seen.operation} document`);
    return toObject({ [seen.wrapper]: { ...schema, ...label(seen) }, ...others }, [seen.wrapper]);
  }
  const { properties, required } = schema as { properties?: Record<string, JsonObject>; required?: string[] };
  if (!seen.list || !properties?.data) return schema;
  const { data, ...others } = properties;
  const list = { ...data, ...label(seen) };
  const { items } = seen.list;
  if (items === null) return list;
  const names = (required ?? []).map((name) => (name === "data" ? items : name));
  return { ...schema, properties: { [items]: list, ...others }, required: names };
}

const toObject = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required,
});

const describeError = (form: Exclude<ErrorForm, "problem" | "other">, basis: JsonObject): Content => {
  if (form === "text" || form === "html")
    return { [`text/${form === "text" ? "plain" : form}`]: { schema: { type: "string", ...basis } } };
  const message = { type: "string" };
  const inner = {
    message,
    error: toObject({ message }, []),
    errors: { type: "array", items: toObject({ message }, []) },
  }[form];
  return { "application/json": { schema: toObject({ [form]: { ...inner, ...basis } }, [form]) } };
};

/** @param place of an object in what was seen, see `FieldPlace` */
function rewrite(service: ObservedService, schema: JsonObject, place: string): JsonObject {
  const { anyOf, items, patternProperties, properties } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((each) => rewrite(service, each, place)) };
  if (isRecord(items)) return { ...schema, items: rewrite(service, items, `${place}[]`) };
  if (isRecord(patternProperties)) {
    const entries = Object.entries(patternProperties as Record<string, JsonObject>).map(([pattern, each]) => [
      pattern,
      rewrite(service, each, `${place}.*`),
    ]);
    return { ...schema, patternProperties: Object.fromEntries(entries) };
  }
  return isRecord(properties) ? rewriteObject(service, schema, place) : schema;
}

function rewriteObject(service: ObservedService, schema: JsonObject, place: string): JsonObject {
  const { properties, required = [] } = schema as {
    properties: Record<string, JsonObject>;
    required?: readonly string[];
  };
  const written = new Map<string, JsonObject>();
  const names = new Set<string>();
  for (const [field, own] of Object.entries(properties)) {
    const seen = service.fields.filter((each) => each.place === place && each.field === field);
    const inner = rewrite(service, own, `${place}.${field}`);
    const entry = mostFrequent(seen.filter(({ name }) => name !== null));
    if (own["x-basis"] === "documented" || (!entry && seen.length === 0)) {
      // The interface (§2) names times without their form.
      written.set(field, isTime(own) ? takeForms(inner, own as FieldSchema, seen) : inner);
      if (required.includes(field)) names.add(field);
      continue;
    }
    // No object has it.
    if (!entry) continue;
    const [outer = field, nested] = (entry.name ?? field).split(".");
    const same = seen.filter(({ name }) => name === entry.name);
    const value = { ...takeForms(inner, own as FieldSchema, same), ...label(entry) };
    const others = written.get(outer)?.properties;
    written.set(outer, nested === undefined ? value : toObject({ ...Object(others), [nested]: value }, []));
    if (required.includes(field) && seen.every(({ name }) => name !== null)) names.add(outer);
  }
  const all = { ...Object.fromEntries(written), ...listUnknownFields(service, place) };
  return { ...schema, properties: all, required: [...names] };
}

/** Their forms are not constraints: what a field without a meaning for us has next is unknown. */
const listUnknownFields = ({ unknownFields }: ObservedService, place: string): JsonObject =>
  Object.fromEntries(
    unknownFields
      .filter((each) => each.place === place)
      .map(({ name, forms }) => [name, { "x-basis": "observed", "x-source": `seen as ${forms.join(", ")}` }]),
  );

const isTime = (schema: FieldSchema): boolean =>
  schema.format === "date-time" || (schema.anyOf ?? []).some(isTime);

function takeForms(schema: JsonObject, own: FieldSchema, seen: readonly SeenField[]): JsonObject {
  const forms = [...new Set(seen.flatMap((each) => each.forms))].sort();
  const { "x-basis": basis, "x-source": source } = schema;
  if (!forms.every((form) => isOurForm(form, own)))
    return { ...describeForms(forms), "x-basis": basis, "x-source": source };
  if (!Array.isArray(schema.enum)) return schema;
  const words = seen.flatMap((each) => each.words).sort();
  return { ...schema, enum: [...new Set<unknown>([...schema.enum, ...words])] };
}

const describeForms = (forms: readonly string[]): JsonObject => {
  const schemas = [
    ...new Map(forms.map((form) => [JSON.stringify(describeForm(form)), describeForm(form)])).values(),
  ];
  const [first = {}] = schemas;
  return schemas.length > 1 ? { anyOf: schemas } : first;
};

/** JSON Schema's formats for ours. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: "uuid",
  date: "date",
  "date-time": "date-time",
  "date-time-offset": "date-time",
  url: "uri",
};

function describeForm(form: string): JsonObject {
  const [kind = "", detail = ""] = form.split(":");
  if (kind === "decimal") return { type: "number" };
  if (kind !== "text") return { type: kind };
  const format = FORMATS[detail];
  return { type: "string", ...(format !== undefined && { format }) };
}

/** Not the date of the last time: the same observations make the same contract. */
const label = ({ operation, status }: Pick<SeenField, "operation" | "status">): JsonObject => ({
  "x-basis": "observed",
  "x-source": `seen in ${operation}${status === 0 ? "" : ` (${status})`}`,
});

const mostFrequent = <E extends { readonly count: number }>(entries: readonly E[]): E | undefined =>
  entries.reduce<E | undefined>((best, each) => (best && best.count >= each.count ? best : each), undefined);
