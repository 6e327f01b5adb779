import { EVENT } from "../../../src/contract/event.ts";
import { type PublishedContract, publishContract } from "../../../src/contract/hash.ts";
import { oauthError } from "../../../src/contract/oauth.ts";
import { type FieldSchema, isList } from "../../../src/contract/observed/align.ts";
import { readNumberForm } from "../../../src/contract/observed/number-form.ts";
import type { ObservedField, ObservedForms } from "../../../src/contract/observed/observed-forms.ts";
import type { ErrorForm, ObservedService } from "../../../src/contract/observed/observed-service.ts";
import { namePlace } from "../../../src/contract/observed/places.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import type { JsonObject } from "../../../src/contract/openapi-components.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import { ALL_OPERATIONS, findOperation } from "../../../src/contract/operations.ts";
import { problem } from "../../../src/contract/problems.ts";
import { isRecord } from "../../../src/domain/json.ts";

/** The name that the service has for a field of a request. */
type ToObserved = (operation: string, field: string) => string;

type Schema = Readonly<Record<string, unknown>>;

/**
 * The contract with the names, statuses and forms that were seen, labelled `x-basis: observed`; what was not seen keeps its
 * label.
 */
export function buildImitatedContract(
  service: ObservedService,
  forms: ObservedForms,
  toObserved: ToObserved,
): PublishedContract {
  const { document } = getContract();
  const builder = createSchemaBuilder(service, forms);
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const methods = Object.entries(item as JsonObject).map(([method, described]) => {
      const row = findRow(described);
      return [
        method,
        row ? describeOperation(row, described as JsonObject, { forms, builder, toObserved }) : described,
      ];
    });
    return [path, Object.fromEntries(methods)];
  });
  const { [EVENT.id]: event } = document.webhooks as Readonly<Record<string, { readonly post: JsonObject }>>;
  const observed = {
    ...document,
    info: {
      ...document.info,
      description:
        "What was observed of a service. x-basis says whether a thing was observed, is documented, or is assumed.",
    },
    paths: Object.fromEntries(paths),
    webhooks: {
      [EVENT.id]: {
        post: {
          ...event?.post,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: builder.describe(EVENT.payload as FieldSchema, EVENT.id, EVENT.id),
              },
            },
          },
        },
      },
    },
    components: {
      ...document.components,
      schemas: {
        OAuthError: oauthError,
        Problem: builder.describe(problem as FieldSchema, "Problem", "*"),
        ...Object.fromEntries(ALL_OPERATIONS.map((row) => [row.id, builder.describeDocument(row)])),
      },
    },
  };
  return publishContract(observed);
}

/** The operation of a method of a path; undefined for another member of the path item. */
function findRow(described: unknown): Operation | undefined {
  const { operationId = "" } = described as { readonly operationId?: string };
  const id = operationId.split(".").slice(0, 2).join(".");
  return findOperation(id);
}

interface Builders {
  readonly forms: ObservedForms;
  readonly builder: ReturnType<typeof createSchemaBuilder>;
  readonly toObserved: ToObserved;
}

function describeOperation(
  row: Operation,
  described: JsonObject,
  { forms, builder, toObserved }: Builders,
): JsonObject {
  const { id, response } = row;
  const { [response.status]: success, ...others } = described.responses as Readonly<
    Record<string, JsonObject>
  >;
  const seen = forms.successOf(id);
  const { "application/json": _, ...texts } = (success?.content ?? {}) as JsonObject;
  const type = seen?.type.endsWith("+json") ? seen.type : "application/json";
  const isDocument = id === "document.openapi";
  const headers = Object.entries((success?.headers ?? {}) as JsonObject).filter(([name]) =>
    forms.hasHeader(id, name),
  );
  const status = forms.statusOf(row);
  return {
    ...described,
    parameters: (described.parameters as readonly Schema[]).map((parameter) =>
      parameter.in === "query" ? { ...parameter, name: toObserved(id, String(parameter.name)) } : parameter,
    ),
    ...(row.request?.kind === "json" && {
      requestBody: renameFields(described.requestBody as Schema, (name) => toObserved(id, name)),
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(others).map(([code, error]) => [
          code,
          describeError(row, Number(code), error, { forms, builder }),
        ]),
      ),
      [status]: {
        ...success,
        headers: Object.fromEntries(headers),
        content: isDocument
          ? success?.content
          : { ...texts, [type]: { schema: { $ref: `#/components/schemas/${id}` } } },
        ...(seen && !isDocumented(success) && toLabel(seen)),
        ...(seen &&
          status === seen.status &&
          !isDocumented(success?.["x-status"]) && { "x-status": toLabel(seen) }),
      },
    },
  };
}

/** A request body with other names of its fields. */
function renameFields(requestBody: Schema, rename: (name: string) => string): Schema {
  const [[type, { schema }] = ["application/json", { schema: {} }]] = Object.entries(
    requestBody.content as Readonly<Record<string, { readonly schema: FieldSchema }>>,
  );
  const { properties = {}, required = [] } = schema;
  const renamed = Object.entries(properties).map(([name, field]) => [rename(name), field]);
  return {
    ...requestBody,
    content: {
      [type]: {
        schema: { ...schema, properties: Object.fromEntries(renamed), required: required.map(rename) },
      },
    },
  };
}

function describeError(
  { id, auth }: Operation,
  status: number,
  error: JsonObject,
  { forms, builder }: Pick<Builders, "forms" | "builder">,
): JsonObject {
  if (status < 400) return error;
  const seen = forms.errorOf(id, status);
  if (!seen) return error;
  const { "application/problem+json": problems, ...others } = error.content as JsonObject;
  // RFC 6749 has the form of its errors.
  if (auth === "client" && !problems) return error;
  const { type, schema } = builder.describeErrorForm(seen.form);
  const isSeen = seen.operation === id && seen.status === status;
  return {
    ...error,
    content: {
      [type]: { schema: others[type] ? { anyOf: [schema, (others[type] as Schema).schema] } : schema },
      ...omit(others, type),
    },
    ...(isSeen && toLabel(seen)),
  };
}

const omit = ({ ...fields }: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));

/** Without the date of the last time: the same observations make the same contract. */
const toLabel = ({
  operation,
  status,
}: {
  readonly operation: string;
  readonly status: number;
}): JsonObject => ({
  "x-basis": "observed",
  "x-source": `seen in ${operation}${status === 0 ? "" : ` (${status})`}`,
});

/** An observation replaces an assumption, never what the interface documents (product.md, promise 1). */
const isDocumented = (part: unknown): boolean => isRecord(part) && part["x-basis"] === "documented";

const OBSERVED: JsonObject = { "x-basis": "observed" };

/** Schemas of what a service sends. */
function createSchemaBuilder(service: ObservedService, forms: ObservedForms) {
  const findLabel = (operation: string, place: string, field: string): JsonObject => {
    const seen = service.fields.filter(
      (each) => each.place === place && each.field === field && each.name !== null,
    );
    const entry = seen.find((each) => each.operation === operation) ?? seen[0];
    return entry ? toLabel(entry) : {};
  };

  const addUnknown = (properties: JsonObject, place: string): JsonObject => ({
    ...properties,
    ...Object.fromEntries(
      forms.listUnknownFields(place).map(({ name, forms: seen }) => [name, describeUnknown(seen)]),
    ),
  });

  function describe(
    schema: FieldSchema,
    fallback: string,
    operation: string,
    field = "",
    seen?: ObservedField,
  ): Schema {
    const { anyOf, items, properties, patternProperties } = schema;
    if (anyOf)
      return { ...schema, anyOf: anyOf.map((each) => describe(each, fallback, operation, field, seen)) };
    if (items) return { ...schema, items: describe(items, `${fallback}[]`, operation) };
    if (properties) return describeObject(schema, namePlace(schema, fallback), operation);
    if (patternProperties) {
      const mapped = Object.entries(patternProperties).map(([pattern, each]) => [
        pattern,
        describe(each, `${fallback}.*`, operation),
      ]);
      return { ...schema, patternProperties: Object.fromEntries(mapped) };
    }
    return describeScalar(schema, field, seen);
  }

  function describeObject(schema: FieldSchema, place: string, operation: string): Schema {
    const { properties = {}, required = [] } = schema;
    const fields: Record<string, Schema> = {};
    const names: string[] = [];
    for (const [field, inner] of Object.entries(properties)) {
      const seen = forms.findField(operation, place, field);
      if (seen?.name === null) continue;
      const [outer = field, nested] = (seen?.name ?? field).split(".");
      const described = {
        ...describe(inner, `${place}.${field}`, operation, field, seen),
        ...(seen && !isDocumented(inner) && findLabel(operation, place, field)),
      };
      fields[outer] =
        nested === undefined
          ? described
          : { type: "object", properties: { [nested]: described }, required: [nested], ...OBSERVED };
      if (required.includes(field)) names.push(outer);
    }
    return { ...schema, properties: addUnknown(fields, place), required: names };
  }

  function describeScalar(schema: FieldSchema, field: string, seen: ObservedField | undefined): Schema {
    const { format, enum: words, type } = schema;
    const seenForms = seen?.forms ?? [];
    if (format === "date-time") {
      const form = seenForms[0] ?? forms.timeForm ?? "";
      return form.startsWith("integer:")
        ? { ...withoutBounds(schema), type: "integer", description: `unix ${form.slice("integer:".length)}` }
        : { ...schema };
    }
    if (words) return { ...schema, enum: words.map((word) => seen?.words.get(String(word)) ?? word) };
    if (type !== "integer" && type !== "number") return { ...schema };
    const { isText, isDollars } = readNumberForm(field, seenForms);
    if (isText)
      return { ...withoutBounds(schema), type: "string", ...(isDollars && { description: "US dollars" }) };
    return isDollars
      ? { ...withoutBounds(schema), type: "number", description: "US dollars" }
      : { ...schema };
  }

  const describePage = (row: Operation, schema: FieldSchema): Schema => {
    const { id } = row;
    const { data, ...others } = schema.properties ?? {};
    const { items } = forms.listOf(id);
    const list = { type: "array", items: describe(data?.items ?? {}, `${id}.data[]`, id) };
    if (items === null) return list;
    const page = describeObject({ properties: others, required: Object.keys(others) }, id, id);
    return {
      type: "object",
      properties: { [items]: list, ...(page.properties as JsonObject) },
      required: [items, ...(page.required as string[])],
    };
  };

  return {
    describe,

    /** The document of a success. */
    describeDocument(row: Operation): Schema {
      const schema = row.response.schema as FieldSchema;
      const described = isList(schema) ? describePage(row, schema) : describe(schema, row.id, row.id);
      const wrapper = forms.wrapperOf(row.id);
      if (wrapper === null) return described;
      return {
        type: "object",
        properties: addUnknown({ [wrapper]: described }, `${row.id} document`),
        required: [wrapper],
      };
    },

    describeErrorForm(form: ErrorForm): { readonly type: string; readonly schema: Schema } {
      const type = forms.errorTypeOf(form);
      const text = { type: "string" };
      const error = { type: "object", properties: { code: text, message: text } };
      switch (form) {
        case "text":
        case "html":
          return { type: form === "html" ? "text/html" : "text/plain", schema: text };
        case "error":
          return { type: type ?? "application/json", schema: toErrorObject({ error }) };
        case "message":
          return { type: type ?? "application/json", schema: toErrorObject({ message: text }) };
        case "errors":
          return {
            type: type ?? "application/json",
            schema: toErrorObject({ errors: { type: "array", items: error } }),
          };
        default:
          return { type: "application/problem+json", schema: { $ref: "#/components/schemas/Problem" } };
      }
    },
  };

  function toErrorObject(properties: JsonObject): Schema {
    return { type: "object", properties: addUnknown(properties, "Error"), required: Object.keys(properties) };
  }
}

/** The bounds of a value are those of its type. */
function withoutBounds({ ...schema }: FieldSchema): Schema {
  const bounds = ["minimum", "maximum", "format", "pattern", "minLength", "maxLength"];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !bounds.includes(name)));
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ decimal: "number", integer: "integer", text: "string" },
  ...{ array: "array", boolean: "boolean", null: "null", object: "object" },
};

function describeUnknown(forms: readonly string[]): Schema {
  const types = [...new Set(forms.flatMap((form) => TYPES[form.split(":")[0] ?? ""] ?? []))];
  return { ...(types.length > 0 && { type: types }), ...OBSERVED };
}
