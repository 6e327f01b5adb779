import { chooseDescription, type FieldSchema, isList } from "../../../src/contract/observed/align.ts";
import { isMoneyField, readNumberForm } from "../../../src/contract/observed/number-form.ts";
import {
  findFieldPlaces,
  findUnrecognizedPlaces,
  isDocumentedField,
  listStatedInputs,
  type ObservedForms,
  type SeenFieldEntry,
} from "../../../src/contract/observed/observed-forms.ts";
import type { ObservedService } from "../../../src/contract/observed/observed-service.ts";
import type { FieldPlace } from "../../../src/contract/observed/places.ts";
import { matchWords } from "../../../src/contract/observed/words.ts";
import { type Operation, statusLabelOf } from "../../../src/contract/operation.ts";
import { findOperation, OPERATIONS } from "../../../src/contract/operations.ts";
import { COMMON_PROBLEMS, HTTP_PROBLEMS, PROBLEMS, WRITE_PROBLEMS } from "../../../src/contract/problems.ts";
import { formatCount } from "../../../src/domain/numbers.ts";
import type { NotImitated } from "../../api/like.ts";

const CONTRADICTION = "the interface documents otherwise";
const SECOND_FORM = "several forms were seen, and the sandbox has the most frequent one";
const OTHER_VALUE = "the sandbox has no such value";

/** What was seen to differ from the contract and the sandbox does not do. */
export function listNotImitated(service: ObservedService, forms: ObservedForms): NotImitated[] {
  const found = [
    ...listResponses(service, forms),
    ...listFields(service, forms),
    ...listErrors(service, forms),
    ...listDeliveries(service),
    ...listStatedInputs(service)
      .filter(({ name }) => name === null)
      .map(({ operation, field }) => ({
        subject: `${operation} ${field}`,
        seen: "absent in its document",
        reason: "the sandbox takes it",
      })),
    ...service.responses
      .filter(({ type }) => isUnnamed(type) && isJson(type))
      .map(({ operation, type }) => ({
        subject: operation,
        seen: `content type ${type}`,
        reason: "its name was not kept, and the sandbox sends JSON",
      })),
    ...service.unknownFields.flatMap(({ place, name, forms: seen }) =>
      seen
        .filter((form) => form === "object" || form === "array")
        .map((form) => ({
          subject: `${place}.${name}`,
          seen: form,
          reason: "its content was not kept, and the sandbox sends an empty one",
        })),
    ),
    ...service.otherFields.map(({ place, count }) => ({
      subject: place,
      seen: `${formatCount(count, "field")} with a name that was not kept`,
      reason: "the sandbox calls them unknown_1, unknown_2, …",
    })),
  ];
  const texts = found.map((each) => JSON.stringify(each));
  return found.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

function listResponses(service: ObservedService, forms: ObservedForms): NotImitated[] {
  const unrecognized = findUnrecognizedPlaces(service);
  const successes = service.responses.filter(({ status }) => status < 300);
  // The fields of the service's own document are not looked at.
  const isRecognized = (id: string) =>
    id === OPERATIONS.document.openapi.id || service.fields.some(({ operation }) => operation === id);
  return [
    ...[...unrecognized].map((key) => {
      const [operation = "", place = ""] = key.split("\n");
      return {
        subject: operation,
        seen: place === operation ? "another document" : `another object than ${place}`,
        reason: "no field of the contract was found in it",
      };
    }),
    ...successes.flatMap(({ operation, status, type, wrapper, list, paging, template }) => {
      const row = findOperation(operation);
      if (!row) return [{ subject: operation, seen: template, reason: "the contract has no such operation" }];
      const own = forms.successOf(operation);
      const note = (seen: string, reason: string): NotImitated => ({ subject: operation, seen, reason });
      const isStatusFixed = statusLabelOf(row.response).basis === "documented";
      return [
        ...(isStatusFixed && status !== row.response.status
          ? [note(`status ${status}`, CONTRADICTION)]
          : status !== own?.status
            ? [note(`status ${status}`, SECOND_FORM)]
            : []),
        ...listTypes(row, type).map(([seen, reason]) => note(seen, reason)),
        ...(isJson(type) && !isList(row.response.schema as FieldSchema) && !isRecognized(operation)
          ? [note("another document", "no field of the contract was found in it")]
          : []),
        ...(wrapper === forms.wrapperOf(operation) ? [] : [note(`${wrapper ?? "no"} wrapper`, SECOND_FORM)]),
        ...listPage(row, { list, paging }, forms).map(([seen, reason]) => note(seen, reason)),
      ];
    }),
  ];
}

/** Whether a content type stands for several, because its name was not kept. */
const isUnnamed = (type: string): boolean => type.includes("*");

const isJson = (type: string): boolean => type === "application/json" || type.endsWith("+json");

function listTypes({ response }: Operation, type: string): (readonly [seen: string, reason: string])[] {
  if (isJson(type)) return [];
  const isAlternative = (response.alternativeTypes ?? []).includes(type);
  const reason = isAlternative
    ? "the sandbox sends it where Accept asks for it, and JSON elsewhere"
    : "the sandbox sends JSON";
  return [[`content type ${type || "none"}`, reason]];
}

function listPage(
  { id, response }: Operation,
  { list, paging }: Pick<ObservedService["responses"][number], "list" | "paging">,
  forms: ObservedForms,
): (readonly [seen: string, reason: string])[] {
  if (!isList(response.schema as FieldSchema)) return [];
  if (list === null) return [["no list", "the sandbox has one"]];
  const { items } = forms.listOf(id);
  return [
    ...(items === list.items ? [] : [[list.items ?? "a bare list", SECOND_FORM] as const]),
    ...(paging?.isNumber
      ? [[`pages by ${paging.cursor}, a number`, "the sandbox has opaque cursors"] as const]
      : []),
  ];
}

function listFields({ fields, completedStates }: ObservedService, forms: ObservedForms): NotImitated[] {
  const places = findFieldPlaces();
  return fields.flatMap((entry) => {
    const { operation, place, field } = entry;
    const subject = `${place}.${field}`;
    const known = places.get(`${place}\n${field}`);
    if (!known) return [{ subject, seen: entry.name ?? "absent", reason: "the contract has no such field" }];
    const name = entry.name ?? "absent";
    if (isDocumentedField(known) && entry.name !== field)
      return [{ subject, seen: name, reason: CONTRADICTION }];
    const own = forms.findField(operation, place, field);
    const isSecond = own !== undefined && own.name !== entry.name;
    return [
      ...(isSecond ? [{ subject, seen: `${name} in ${operation}`, reason: SECOND_FORM }] : []),
      ...(entry.name === null
        ? []
        : listForms(entry, known, completedStates).map((seen) => ({ subject, ...seen }))),
    ];
  });
}

/** The forms and words of a field that the sandbox does not have. */
function listForms(
  { forms, words, field }: SeenFieldEntry,
  { schema }: FieldPlace,
  completedStates: readonly string[],
): Omit<NotImitated, "subject">[] {
  const described = chooseDescription(schema);
  const others = forms.filter((form) => !canWrite(form, forms, schema, field));
  const ours = (described.enum ?? []).map(String);
  return [
    ...others.map((form) => ({ seen: form, reason: "the sandbox writes another form" })),
    ...matchWords(ours, words, completedStates).unknown.map((word) => ({ seen: word, reason: OTHER_VALUE })),
  ];
}

/** Whether the sandbox writes values of a schema in this form. */
function canWrite(form: string, forms: readonly string[], schema: FieldSchema, field: string): boolean {
  const isNullable = schema.anyOf?.some(({ type }) => type === "null") ?? false;
  const { type, format, properties, patternProperties, items, enum: words } = chooseDescription(schema);
  // The data of an event may be anything.
  if (form === "null") return isNullable || (type === undefined && !words);
  const seen = forms.filter((each) => each !== "null");
  if (properties || patternProperties) return form === "object";
  if (items) return form === "array";
  if (format === "date-time") {
    const times = ["text:date-time", "text:date-time-offset", "integer:seconds", "integer:milliseconds"];
    return times.includes(form) && form === seen[0];
  }
  if (format !== undefined) return form === `text:${format}`;
  if (words) return form.startsWith("text");
  if (type === "integer" || type === "number") {
    const isDecimal = isMoneyField(field) || type === "number";
    const { isText } = readNumberForm(field, seen);
    if (form.startsWith("text:")) return isText && (form === "text:integer" || isDecimal);
    return form.startsWith("integer") || isDecimal;
  }
  // Ours is opaque.
  if (field === "nextCursor" && form === "text:url") return false;
  if (type === "boolean") return form === "boolean";
  return type === "string" ? form.startsWith("text") : true;
}

function listErrors({ errors, responses }: ObservedService, forms: ObservedForms): NotImitated[] {
  const isMissing = (id: string, status: number) =>
    status === 404 &&
    !(findOperation(id)?.problems ?? []).some((code) => PROBLEMS[code].status === 404) &&
    !responses.some((each) => each.operation === id && each.status < 300);
  return errors.flatMap(({ operation, status, form }) => {
    if (operation === "oauth.token") return [];
    const note = (seen: string, reason: string) => ({ subject: operation, seen, reason });
    const own = forms.errorOf(operation, status);
    return [
      ...(form === "other"
        ? [note(`an error ${status} of another form`, "the sandbox sends a problem")]
        : []),
      ...(own && own.form !== form ? [note(`an error ${status} as ${form}`, SECOND_FORM)] : []),
      ...(isKnownStatus(operation, status)
        ? []
        : [note(`status ${status}`, "the sandbox has no such error")]),
      ...(isMissing(operation, status) ? [note(`status ${status}`, "the sandbox has this operation")] : []),
    ];
  });
}

function isKnownStatus(id: string, status: number): boolean {
  const codes = [...COMMON_PROBLEMS, ...HTTP_PROBLEMS, ...WRITE_PROBLEMS, "route_not_found" as const];
  const own = findOperation(id)?.problems ?? [];
  return [...codes, ...own].some((code) => PROBLEMS[code].status === status);
}

function listDeliveries({ deliveries }: ObservedService): NotImitated[] {
  const [most] = deliveries.toSorted((one, other) => other.count - one.count);
  return deliveries.flatMap((delivery) =>
    (["payload", "headerCase", "timestamp"] as const).flatMap((name) => {
      const seen = `${name} ${delivery[name]}`;
      const note = (reason: string) => [{ subject: "event", seen, reason }];
      if (delivery[name] === "other") return note("the sandbox has no such form");
      return most && most[name] !== delivery[name] ? note(SECOND_FORM) : [];
    }),
  );
}
