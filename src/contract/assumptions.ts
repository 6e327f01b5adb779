import type { TSchema } from "typebox";
import { ALIAS_HEADERS, aliasMethodLabel, aliasMethods, findAliases, missingPathParams } from "./aliases.ts";
import { EVENT } from "./event.ts";
import { type JsonSchema, listFields } from "./json-schema.ts";
import { assumed, documented, type SourcedBasis } from "./labels.ts";
import { buildOperationObject, pathParameterLabel } from "./openapi-operation.ts";
import { oauthError } from "./operations/oauth.ts";
import { methodLabelOf, type Operation, statusLabelOf } from "./operations/operation.ts";
import { ALL_OPERATIONS } from "./operations/operations.ts";
import { PROBLEMS, type ProblemCode, problem } from "./problems.ts";
import { SERVICE_RULES } from "./service.ts";

/** A decision of the sandbox where the interface says nothing (product.md, promise 1). */
export interface Assumption {
  /** The operation's id; `*` for all operations. */
  readonly operation: string;
  readonly kind:
    | "path"
    | "method"
    | "behaviour"
    | "response"
    | "header"
    | "problem"
    | "parameter"
    | "request"
    | "constraint"
    | "field";
  /** The field's path, or the rule in words. */
  readonly subject: string;
  /** The statement of the interface that leaves it open. */
  readonly source: string;
}

export interface LabelledPart extends Assumption, SourcedBasis {}

type Kind = Assumption["kind"];
type Labelled = readonly [kind: Kind, subject: string, label: SourcedBasis];

export const listAssumptions = (): Assumption[] =>
  listLabelledParts()
    .filter(({ basis }) => basis === "assumed")
    .map(({ operation, kind, subject, source }) => ({ operation, kind, subject, source }));

export const listLabelledParts = (): LabelledPart[] => [
  ...ALL_OPERATIONS.flatMap((operation) => withOperation(operation.id, labelsOf(operation))),
  ...withOperation(EVENT.id, [
    ...EVENT.headers.map(([name, statement]): Labelled => ["header", name, documented(statement)]),
    ...EVENT.behaviours.map((behaviour): Labelled => ["behaviour", behaviour.rule, behaviour]),
    ...labelsOfFields("field", EVENT.payload),
  ]),
  ...withOperation("*", [
    ...SERVICE_RULES.map((rule): Labelled => ["behaviour", rule.rule, rule]),
    ["header", Object.values(ALIAS_HEADERS).join(", "), documented("alias.headers")],
    ...labelsOfCommonHeaders(),
    ...labelsOfProblems(COMMON_CODES),
    ...labelsOfFields("problem", problem),
  ]),
];

const withOperation = (operation: string, labels: readonly Labelled[]): LabelledPart[] =>
  labels.map(([kind, subject, { basis, source }]) => ({ operation, kind, subject, basis, source }));

const labelsOf = (row: Operation): Labelled[] => [
  ["path", row.path, row.label],
  ...(row.legacyPath ? [["path", row.legacyPath, documented("legacy")] as const] : []),
  ["method", `${row.method} ${row.path}`, methodLabelOf(row)],
  ...findAliases(row.id).flatMap((alias): Labelled[] => [
    ["path", alias.path, documented("alias.map")],
    ...aliasMethods(row).map(
      (method): Labelled => ["method", `${method} ${alias.path}`, aliasMethodLabel(alias)],
    ),
    ...missingPathParams(alias).map((name): Labelled => {
      const place = row.request ? "body" : "query";
      return ["parameter", `${name}: in the ${place} of ${alias.path}`, assumed("aliases")];
    }),
  ]),
  ...row.behaviours.map((behaviour): Labelled => ["behaviour", behaviour.rule, behaviour]),
  ...[...row.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]): Labelled[] =>
    row.params ? [] : [["parameter", name, pathParameterLabel(name)]],
  ),
  ...[row.params, row.query].flatMap((schema) => labelsOfInput("parameter", schema)),
  ...labelsOfInput("request", row.request?.schema),
  ["response", `the status is ${row.response.status}`, statusLabelOf(row.response)],
  ...ownHeaders(row).map((name): Labelled => ["header", name, assumed("errors")]),
  ...labelsOfProblems(row.problems ?? []),
  ...(row.auth === "client" ? labelsOfFields("problem", oauthError) : []),
  ...labelsOfFields("field", row.response.schema),
];

const ownHeaders = ({ response }: Operation): string[] => Object.keys(response.headers ?? {});

function labelsOfCommonHeaders(): Labelled[] {
  const labels = new Map<string, Labelled>();
  for (const row of ALL_OPERATIONS) {
    const { responses, parameters } = buildOperationObject(row, "canonical") as unknown as DescribedHeaders;
    for (const { headers } of Object.values(responses))
      for (const [name, header] of Object.entries(headers))
        labels.set(name, ["header", `${name}: ${header.description}`, toLabel(header)]);
    for (const { in: place, name, ...parameter } of parameters)
      if (place === "header")
        labels.set(name, ["parameter", `${name}: ${parameter.description}`, toLabel(parameter)]);
  }
  // Problems have a Retry-After too.
  for (const name of ALL_OPERATIONS.flatMap(ownHeaders)) if (name !== "Retry-After") labels.delete(name);
  return [...labels.values()];
}

interface DescribedHeaders {
  readonly responses: Readonly<Record<string, { readonly headers: Readonly<Record<string, JsonSchema>> }>>;
  readonly parameters: readonly (JsonSchema & { readonly name: string; readonly in: string })[];
}

/** The codes that no row names. */
const COMMON_CODES = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) =>
  ALL_OPERATIONS.every(({ problems }) => !problems?.includes(code)),
);

const labelsOfProblems = (codes: readonly ProblemCode[]): Labelled[] =>
  codes.map((code) => [
    "problem",
    `${PROBLEMS[code].status} ${code}`,
    assumed(code === "rate_limited" ? "limits" : "errors"),
  ]);

const toLabel = ({ "x-basis": basis, "x-source": source = "" }: JsonSchema): SourcedBasis => ({
  basis: basis === "documented" ? "documented" : "assumed",
  source,
});

/** Every field with its label, the outer ones first. */
const labelsOfFields = (kind: Kind, schema: TSchema | undefined): Labelled[] =>
  [...listFields((schema ?? {}) as JsonSchema)].map(([path, field]) => [kind, path, toLabel(field)]);

/** The fields that a caller sends, and what they may hold: no bound is documented (§8). */
const labelsOfInput = (kind: Kind, schema: TSchema | undefined): Labelled[] => [
  ...labelsOfFields(kind, schema),
  ...Object.entries((schema as JsonSchema | undefined)?.properties ?? {}).flatMap(
    ([name, field]): Labelled[] => {
      const bounds = [field, ...(field.items ? [field.items] : [])].flatMap(describeBounds);
      return bounds.length > 0 ? [["constraint", `${name}: ${bounds.join(", ")}`, assumed("limits")]] : [];
    },
  ),
];

/** Keywords of JSON Schema, the lower bound before the upper one. */
const BOUNDS = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
] as const;

function describeBounds(schema: JsonSchema): string[] {
  const bounds = BOUNDS.flatMap(([lowest, highest, unit]) => {
    const { [lowest]: min, [highest]: max } = schema as Readonly<Record<string, number>>;
    if (max === undefined) return min === undefined ? [] : [`at least ${min}${unit}`];
    return [min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`];
  });
  return schema.pattern === undefined ? bounds : [...bounds, schema.description ?? schema.pattern];
}
