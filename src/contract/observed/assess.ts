import { type Assumption, listAssumptions } from "../assumptions.ts";
import { ALL_OPERATIONS } from "../operations.ts";
import type { FieldSchema } from "./align.ts";
import type { Facts, ObservedService } from "./observed-service.ts";
import { type FieldPlace, listFieldPlaces } from "./places.ts";
import type { AssumptionStatus } from "./statuses.ts";

type Assessment = ObservedService["assumptions"][number];
type Verdict = Pick<Assessment, "status" | "seen">;
/** One form, and whether it is that of the contract. */
type Sighting = readonly [confirms: boolean, seen: string];

const UNKNOWN: Verdict = { status: "unknown", seen: [] };

/** Compares each assumption of the contract with what was seen. */
export function assessAssumptions(facts: Facts): Assessment[] {
  const places = new Map(listFieldPlaces().map((each) => [`${each.operation} ${each.subject}`, each]));
  return listAssumptions().map((assumption) => {
    const { operation, kind, subject } = assumption;
    return { operation, kind, subject, ...assess(assumption, facts, places) };
  });
}

function assess(
  { operation, kind, subject }: Assumption,
  facts: Facts,
  places: ReadonlyMap<string, FieldPlace>,
): Verdict {
  const place = places.get(`${operation} ${subject}`);
  const responses = facts.responses.filter((each) => each.operation === operation);
  switch (kind) {
    case "field":
      return place ? assessField(place, facts) : UNKNOWN;
    case "response":
      return assessStatus(operation, responses);
    case "path":
      return toVerdict(responses.filter(({ template }) => template === subject).map(() => [true, subject]));
    case "header":
      return toVerdict(
        facts.responses.flatMap(({ headers }) =>
          headers.filter((name) => namesOf(subject).includes(name)).map((name) => [true, name] as const),
        ),
      );
    case "problem":
      return assessProblem(operation, subject, facts, place);
    default:
      return UNKNOWN;
  }
}

/** `Location: where the job is` → `location`; several names have commas between them. */
const namesOf = (subject: string): string[] =>
  (subject.split(":")[0] ?? "").split(",").map((name) => name.trim().toLowerCase());

function assessField({ operation, place, field, schema }: FieldPlace, facts: Facts): Verdict {
  const [page] = facts.responses.filter((each) => each.operation === operation && each.list !== null);
  if (field === "data" && page?.list)
    return toVerdict([[page.list.items === "data", page.list.items ?? "a bare list"]]);
  const seen = facts.fields.filter(
    (each) => each.place === place && each.field === field && each.operation === operation,
  );
  return toVerdict(seen.map((each) => toSighting(each, schema)));
}

const toSighting = ({ field, name, forms }: Facts["fields"][number], schema: FieldSchema): Sighting =>
  name === null
    ? [false, "absent"]
    : [name === field && forms.every((form) => isOurForm(form, schema)), `${name}: ${forms.join(" or ")}`];

/** Whether the contract writes a value in this form. */
export function isOurForm(form: string, schema: FieldSchema): boolean {
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

function assessStatus(operation: string, responses: ObservedService["responses"]): Verdict {
  const expected = ALL_OPERATIONS.find(({ id }) => id === operation)?.response.status;
  const successes = responses.filter(({ status }) => status < 300);
  return toVerdict(successes.map(({ status }) => [status === expected, String(status)]));
}

/** A problem is confirmed by its code; an error of another form with its status contradicts it. */
function assessProblem(
  operation: string,
  subject: string,
  facts: Facts,
  place: FieldPlace | undefined,
): Verdict {
  if (place) return assessProblemField(place, facts);
  const [status = "", code = ""] = subject.split(" ");
  const errors = facts.errors.filter(
    (each) => String(each.status) === status && (operation === "*" || each.operation === operation),
  );
  const words = facts.fields.filter(({ place: at, field }) => at === "Problem" && field === "code");
  return toVerdict(
    errors.flatMap(({ form, operation: from }): Sighting[] => {
      if (form !== "problem") return [[false, `an error as ${form}`]];
      const isSeen = words.some((each) => each.operation === from && each.words.includes(code));
      return isSeen ? [[true, code]] : [];
    }),
  );
}

function assessProblemField({ field, schema }: FieldPlace, { fields, errors }: Facts): Verdict {
  const seen = fields.filter(
    (each) => each.place === "Problem" && each.field === field && each.name !== null,
  );
  const others = errors.filter(({ form }) => form !== "problem");
  return toVerdict([
    ...seen.map((each) => toSighting(each, schema)),
    ...others.map(({ form }) => [false, `an error as ${form}`] as const),
  ]);
}

/** One sighting that differs makes the assumption differ; all forms are listed. */
function toVerdict(sightings: readonly Sighting[]): Verdict {
  if (sightings.length === 0) return UNKNOWN;
  const status: AssumptionStatus = sightings.every(([confirms]) => confirms) ? "confirmed" : "differs";
  return { status, seen: [...new Set(sightings.map(([, seen]) => seen))] };
}
