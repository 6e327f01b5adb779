import { type Assumption, listAssumptions } from "../assumptions.ts";
import { ALL_OPERATIONS } from "../operations.ts";
import type { FieldSchema } from "./align.ts";
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

/** Compares each assumption of the contract with what was seen. */
export function assessAssumptions(facts: Evidence): Assessment[] {
  const places = new Map(listFieldPlaces().map((each) => [`${each.operation} ${each.subject}`, each]));
  return listAssumptions().map((assumption) => {
    const { operation, kind, subject } = assumption;
    return { operation, kind, subject, ...assess(assumption, facts, places) };
  });
}

function assess(
  { operation, kind, subject }: Assumption,
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
      return assessInput(operation, kind, subject, document);
    case "response":
      return assessStatus(operation, facts.responses.filter(isOwn), document?.responses.filter(isOwn) ?? []);
    case "path":
      return toVerdict([
        ...facts.responses.filter(({ template }) => template === subject).map(() => [true, subject] as const),
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

type SeenForm = Pick<StatedForms["fields"][number], "field" | "name" | "forms">;

const toSighting = ({ field, name, forms }: SeenForm, schema: FieldSchema): Sighting =>
  name === null
    ? [false, "absent"]
    : [
        name === field && forms.every((form) => isOurForm(form, schema)),
        forms.length > 0 ? `${name}: ${forms.join(" or ")}` : name,
      ];

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
  document: StatedForms | undefined,
): Verdict {
  const row = ALL_OPERATIONS.find(({ id }) => id === operation);
  const given = (kind === "request" ? row?.request?.schema : row?.query) as FieldSchema | undefined;
  const schema = given?.properties?.[subject];
  const place = `${operation} ${kind === "request" ? "request" : "query"}`;
  const stated = document?.fields.filter((each) => each.place === place && each.field === subject) ?? [];
  return schema ? toVerdict(stated.map((each) => toStatedSighting(each, schema))) : UNKNOWN;
}

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
  const expected = ALL_OPERATIONS.find(({ id }) => id === operation)?.response.status;
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
