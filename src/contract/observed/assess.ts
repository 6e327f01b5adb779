import { type LabelledPart, listLabelledParts } from "../assumptions.ts";
import { findOperation } from "../operations.ts";
import { chooseDescription, type FieldSchema } from "./align.ts";
import type { Facts, ObservedService, StatedForms } from "./observed-service.ts";
import { type FieldPlace, listFieldPlaces } from "./places.ts";
import type { AssumptionStatus } from "./statuses.ts";

/** What was seen in responses, and what the service's own document states. */
type Evidence = Facts & { readonly document?: StatedForms | undefined };
type Assessment = ObservedService["assumptions"][number];
type Verdict = Pick<Assessment, "status" | "seen">;
/** One form, and whether it is that of the contract. */
type Sighting = readonly [confirms: boolean, seen: string];

const UNKNOWN: Verdict = { status: "unknown", seen: [] };

/** What an observed service says of the contract: of each assumption, and where it contradicts the interface. */
export function assessService(facts: Evidence): Pick<ObservedService, "findings" | "assumptions"> {
  const places = new Map(listFieldPlaces().map((each) => [`${each.operation} ${each.subject}`, each]));
  const assessed = listLabelledParts().map((part) => ({ ...part, ...assess(part, facts, places) }));
  return {
    findings: assessed
      .filter(({ basis, status }) => basis === "documented" && status === "differs")
      .map(({ operation, kind, subject, source, seen }) => ({
        operation,
        kind,
        subject,
        statement: source,
        seen,
      })),
    assumptions: assessed
      .filter(({ basis }) => basis === "assumed")
      .map(({ operation, kind, subject, status, seen }) => ({ operation, kind, subject, status, seen })),
  };
}

function assess(
  { operation, kind, subject }: Pick<LabelledPart, "operation" | "kind" | "subject">,
  facts: Evidence,
  places: ReadonlyMap<string, FieldPlace>,
): Verdict {
  const { document } = facts;
  const place = places.get(`${operation} ${subject}`);
  const isOwn = (each: { readonly operation: string }) => each.operation === operation;
  switch (kind) {
    case "field":
      return place ? assessField(place, facts) : UNKNOWN;
    case "parameter":
    case "request":
      return assessInput(operation, kind, subject, facts);
    case "response":
      return assessStatus(operation, facts.responses.filter(isOwn), document?.responses.filter(isOwn) ?? []);
    case "path":
      return toVerdict([
        ...facts.responses.filter((each) => isOwn(each) && each.template === subject).flatMap(toPathSighting),
        ...(document?.routes ?? [])
          .filter((route) => route.endsWith(` ${subject}`))
          .map((route) => [true, ofDocument(route)] as const),
      ]);
    case "method":
      return toVerdict(
        (document?.routes ?? [])
          .filter((route) => route === subject)
          .map((route) => [true, ofDocument(route)]),
      );
    case "header":
      return toVerdict(
        [...facts.responses, ...(document?.responses ?? [])].flatMap(({ headers }) =>
          headers.filter((name) => namesOf(subject).includes(name)).map((name) => [true, name] as const),
        ),
      );
    case "problem":
      return assessProblem(operation, subject, facts, place);
    default:
      return UNKNOWN;
  }
}

/** Statuses of a route that the service does not have. Where the request names a record, 404 can mean the record. */
const MISSING_STATUSES: readonly number[] = [404, 405, 410, 501];

function toPathSighting({ operation, status, template }: Facts["responses"][number]): Sighting[] {
  if (!MISSING_STATUSES.includes(status)) return status < 500 ? [[true, template]] : [];
  const row = findOperation(operation);
  const namesRecord =
    template.includes("{") || row?.method !== "GET" || (row.query?.required ?? []).length > 0;
  return namesRecord ? [] : [[false, `status ${status}`]];
}

/** A sighting of the service's own document, not of a response. */
const ofDocument = (seen: string): string => `${seen} (its document)`;

/** `Location: where the job is` → `location`; several names have commas between them. */
const namesOf = (subject: string): string[] =>
  (subject.split(":")[0] ?? "").split(",").map((name) => name.trim().toLowerCase());

function assessField({ operation, place, field, schema }: FieldPlace, facts: Evidence): Verdict {
  const { responses, document } = facts;
  const isPage = (each: Pick<StatedForms["responses"][number], "operation" | "list">) =>
    each.operation === operation && each.list !== null;
  const [page] = responses.filter(isPage);
  const [statedPage] = document?.responses.filter(isPage) ?? [];
  if (field === "data" && (page ?? statedPage))
    return toVerdict([
      ...(page?.list ? [toListSighting(page.list)] : []),
      ...(statedPage?.list ? [markAsStated(toListSighting(statedPage.list))] : []),
    ]);
  const isSame = (each: StatedForms["fields"][number]) =>
    each.place === place && each.field === field && each.operation === operation;
  return toVerdict([
    ...facts.fields.filter(isSame).map((each) => toSighting(each, schema)),
    ...(document?.fields.filter(isSame) ?? []).map((each) => toStatedSighting(each, schema)),
  ]);
}

const toListSighting = ({ items }: { readonly items: string | null }): Sighting => [
  items === "data",
  items ?? "a bare list",
];

const markAsStated = ([confirms, seen]: Sighting): Sighting => [confirms, ofDocument(seen)];

type SeenForm = Pick<StatedForms["fields"][number], "field" | "name" | "forms" | "words">;

function toSighting({ field, name, forms, words }: SeenForm, schema: FieldSchema): Sighting {
  if (name === null) return [false, "absent"];
  const others = listOtherWords(words, schema);
  const seen = forms.length > 0 ? `${name}: ${forms.join(" or ")}` : name;
  const isOurs = name === field && forms.every((form) => isOurForm(form, schema)) && others.length === 0;
  return [isOurs, others.length > 0 ? `${seen} (${others.join(", ")})` : seen];
}

/** The names of states that the contract does not have. */
function listOtherWords(words: readonly string[], schema: FieldSchema): string[] {
  const { enum: own } = chooseDescription(schema);
  return own ? words.filter((word) => !own.includes(word)) : [];
}

/** A document may say less than our schema, such as text for a date: that is no difference. */
const toStatedSighting = ({ forms, ...field }: SeenForm, schema: FieldSchema): Sighting => {
  const [confirms, seen] = toSighting({ ...field, forms }, schema);
  const specific = forms.filter((form) => form !== "text");
  const isLess = forms.length > specific.length && isText(schema);
  return markAsStated(
    isLess ? [toSighting({ ...field, forms: specific }, schema)[0], seen] : [confirms, seen],
  );
};

const isText = ({ type, enum: words, anyOf = [] }: FieldSchema): boolean =>
  type === "string" || words !== undefined || anyOf.some(isText);

/** Only the service's own document shows what a request may have. */
function assessInput(
  operation: string,
  kind: "parameter" | "request",
  subject: string,
  { fields, document }: Evidence,
): Verdict {
  const row = findOperation(operation);
  const given = (kind === "request" ? row?.request?.schema : row?.query) as FieldSchema | undefined;
  const schema = given?.properties?.[subject];
  // The id in a path is that of the record (interface §2: a job has a UUID).
  if (!schema && kind === "parameter" && subject === "jobId") return assessJobId(fields);
  const place = `${operation} ${kind === "request" ? "request" : "query"}`;
  const stated = document?.fields.filter((each) => each.place === place && each.field === subject) ?? [];
  return schema ? toVerdict(stated.map((each) => toStatedSighting(each, schema))) : UNKNOWN;
}

/** A job may have its id under any name. */
const assessJobId = (fields: Facts["fields"]): Verdict =>
  toVerdict(
    fields
      .filter(({ place, field, name }) => place === "Job" && field === "jobId" && name !== null)
      .map(({ forms }) => [forms.every((form) => form === "text:uuid"), `a job id: ${forms.join(" or ")}`]),
  );

/** Whether the contract writes a value in this form. */
function isOurForm(form: string, schema: FieldSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some((each) => isOurForm(form, each));
  const { type, format, properties, patternProperties, items, enum: words } = schema;
  if (properties || patternProperties) return form === "object";
  if (items) return form === "array";
  if (type === "null") return form === "null";
  if (type === "integer") return form.startsWith("integer");
  if (type === "number") return form === "decimal" || form.startsWith("integer");
  if (type === "boolean") return form === "boolean";
  if (format !== undefined) return form === `text:${format}`;
  return type === "string" || words !== undefined ? form.startsWith("text") : true;
}

function assessStatus(
  operation: string,
  seen: readonly { readonly status: number }[],
  stated: readonly { readonly status: number }[],
): Verdict {
  const expected = findOperation(operation)?.response.status;
  const toSightings = (responses: typeof seen): Sighting[] =>
    responses.filter(({ status }) => status < 300).map(({ status }) => [status === expected, String(status)]);
  return toVerdict([...toSightings(seen), ...toSightings(stated).map(markAsStated)]);
}

/** A problem is confirmed by its code; an error of another form with its status contradicts it. */
function assessProblem(
  operation: string,
  subject: string,
  facts: Evidence,
  place: FieldPlace | undefined,
): Verdict {
  const { document } = facts;
  if (place) return assessProblemField(place, facts);
  const [status = "", code = ""] = subject.split(" ");
  const isOurs = (each: StatedForms["errors"][number]) =>
    String(each.status) === status && (operation === "*" || each.operation === operation);
  const words = facts.fields.filter(({ place: at, field }) => at === "Problem" && field === "code");
  return toVerdict([
    ...facts.errors.filter(isOurs).flatMap(({ form, operation: from }): Sighting[] => {
      if (form !== "problem") return [[false, `an error as ${form}`]];
      const isSeen = words.some((each) => each.operation === from && each.words.includes(code));
      return isSeen ? [[true, code]] : [];
    }),
    ...toErrorSightings(document?.errors.filter(isOurs) ?? []).map(markAsStated),
  ]);
}

const toErrorSightings = (errors: readonly Pick<StatedForms["errors"][number], "form">[]): Sighting[] =>
  errors.flatMap(({ form }) => (form === "problem" ? [] : [[false, `an error as ${form}`] as const]));

function assessProblemField({ field, schema }: FieldPlace, { fields, errors, document }: Evidence): Verdict {
  const isSeen = (each: StatedForms["fields"][number]) =>
    each.place === "Problem" && each.field === field && each.name !== null;
  return toVerdict([
    ...fields.filter(isSeen).map((each) => toSighting(each, schema)),
    ...toErrorSightings(errors),
    ...(document?.fields.filter(isSeen) ?? []).map((each) => toStatedSighting(each, schema)),
    ...toErrorSightings(document?.errors ?? []).map(markAsStated),
  ]);
}

/** One sighting that differs makes the assumption differ; all forms are listed. */
function toVerdict(sightings: readonly Sighting[]): Verdict {
  if (sightings.length === 0) return UNKNOWN;
  const status: AssumptionStatus = sightings.every(([confirms]) => confirms) ? "confirmed" : "differs";
  return { status, seen: [...new Set(sightings.map(([, seen]) => seen))] };
}
