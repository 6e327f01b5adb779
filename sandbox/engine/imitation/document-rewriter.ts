import { chooseDescription, type FieldSchema } from "../../../src/contract/observed/align.ts";
import { type NumberForm, readNumberForm } from "../../../src/contract/observed/number-form.ts";
import type { ObservedField, ObservedForms } from "../../../src/contract/observed/observed-forms.ts";
import { namePlace } from "../../../src/contract/observed/places.ts";
import { isRecord } from "../../../src/domain/json.ts";
import { formatRecordTime } from "../grease/formats.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Values of unknown fields, by their form. Nothing was kept of the real ones. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  object: {},
  array: [],
  boolean: false,
  integer: 0,
  "integer:seconds": 1_750_000_000,
  "integer:milliseconds": 1_750_000_000_000,
  decimal: 0.5,
  text: "text",
  "text:empty": "",
  "text:uuid": "00000000-0000-4000-8000-000000000000",
  "text:ulid": "01JZ0000000000000000000000",
  "text:date": "2026-01-01",
  "text:date-time": "2026-01-01T00:00:00Z",
  "text:date-time-offset": "2026-01-01T00:00:00+00:00",
  "text:integer": "1",
  "text:decimal": "0.50",
  "text:sha256": "0".repeat(64),
  "text:url": "https://partners.example.com/",
};

/**
 * Writes documents of the contract with the names and in the forms that were seen of a service.
 *
 * @returns a function of a value, its schema, the place of it if the schema is no component, and the operation
 */
export function createDocumentRewriter(forms: ObservedForms) {
  function rewrite(value: unknown, given: FieldSchema, fallback: string, operation: string): unknown {
    const schema = chooseDescription(given);
    if (Array.isArray(value)) {
      const { items } = schema;
      return items ? value.map((item) => rewrite(item, items, `${fallback}[]`, operation)) : value;
    }
    if (!isRecord(value)) return rewriteScalar(value, schema, fallback, undefined);
    const { properties, patternProperties } = schema;
    if (properties) return rewriteObject(value, properties, namePlace(schema, fallback), operation);
    const [mapped] = Object.values(patternProperties ?? {});
    if (!mapped) return value;
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      rewrite(inner, mapped, `${fallback}.*`, operation),
    ]);
    return Object.fromEntries(entries);
  }

  function rewriteObject(
    value: Fields,
    properties: Readonly<Record<string, FieldSchema>>,
    place: string,
    operation: string,
  ): object {
    const entries = new Map<string, unknown>();
    for (const [field, inner] of Object.entries(value)) {
      const schema = Object.hasOwn(properties, field) ? properties[field] : undefined;
      if (!schema) {
        entries.set(field, inner);
        continue;
      }
      const seen = forms.findField(operation, place, field);
      if (seen?.name === null) continue;
      const isScalar = typeof inner !== "object" || inner === null;
      const written = isScalar
        ? rewriteScalar(inner, chooseDescription(schema), field, seen)
        : rewrite(inner, schema, `${place}.${field}`, operation);
      const [outer = field, nested] = (seen?.name ?? field).split(".");
      const earlier = entries.get(outer);
      if (nested === undefined) entries.set(outer, written);
      else entries.set(outer, { ...(isRecord(earlier) && earlier), [nested]: written });
    }
    for (const { name, forms: seen } of forms.listUnknownFields(place)) entries.set(name, sampleOf(seen));
    return Object.fromEntries(entries);
  }

  function rewriteScalar(
    value: unknown,
    { format, enum: words }: FieldSchema,
    field: string,
    seen: ObservedField | undefined,
  ): unknown {
    if (value === null) return null;
    const seenForms = seen?.forms ?? [];
    if (format === "date-time" && typeof value === "string")
      return formatRecordTime(value, toTimeFormat(seenForms[0] ?? forms.timeForm));
    if (words) return seen?.words.get(String(value)) ?? value;
    if (typeof value === "number") return rewriteNumber(value, readNumberForm(field, seenForms));
    return value;
  }

  return {
    rewrite,

    /** Adds the unknown fields of a place to a document that the contract does not have. */
    addUnknownFields: (document: object, place: string): object =>
      Object.fromEntries([
        ...Object.entries(document),
        ...forms.listUnknownFields(place).map(({ name, forms: seen }) => [name, sampleOf(seen)]),
      ]),
  };
}

function rewriteNumber(value: number, { isText, isDollars }: NumberForm): unknown {
  if (isText) return isDollars ? (value / 100).toFixed(2) : String(value);
  return isDollars ? value / 100 : value;
}

function toTimeFormat(form: string | undefined) {
  if (form === "integer:seconds") return "seconds";
  if (form === "integer:milliseconds") return "milliseconds";
  return form === "text:date-time-offset" ? "rfc3339" : null;
}

/** A value of one of the forms. */
function sampleOf(forms: readonly string[]): unknown {
  const [form] = forms.filter((each) => each !== "null");
  return form === undefined || forms.includes("null") ? null : (SAMPLES[form] ?? null);
}
