import type { TSchema } from "typebox";
import type { Label } from "./labels.ts";
import { type Operation, statusLabelOf } from "./operation.ts";
import { ALL_OPERATIONS } from "./operations.ts";
import { problem } from "./problems.ts";

/** A decision of the sandbox where the interface says nothing (product.md, promise 1). */
export interface Assumption {
  /** The operation's id; `*` for all operations. */
  readonly operation: string;
  readonly kind: "operation" | "behaviour" | "response" | "parameter" | "request" | "field" | "problem";
  /** The field's path, or the rule in words. */
  readonly subject: string;
  /** The sentence of the interface that leaves it open. */
  readonly source: string;
}

type Kind = Assumption["kind"];
type Labelled = readonly [kind: Kind, subject: string, label: Label];

/** Every assumption of the contract table, in its order. */
export const listAssumptions = (): Assumption[] => [
  ...ALL_OPERATIONS.flatMap((operation) => toAssumptions(operation.id, labelsOf(operation))),
  ...toAssumptions("*", labelsOfFields("problem", problem, "")),
];

const toAssumptions = (operation: string, labels: readonly Labelled[]): Assumption[] =>
  labels
    .filter(([, , { basis }]) => basis === "assumed")
    .map(([kind, subject, { source }]) => ({ operation, kind, subject, source }));

const labelsOf = (row: Operation): Labelled[] => [
  ["operation", `${row.method} ${row.path}`, row.label],
  ...row.behaviours.map((behaviour): Labelled => ["behaviour", behaviour.rule, behaviour]),
  ...labelsOfFields("parameter", row.params, ""),
  ...labelsOfFields("parameter", row.query, ""),
  ...labelsOfFields("request", row.request?.schema, ""),
  ["response", `the status is ${row.response.status}`, statusLabelOf(row.response)],
  ...labelsOfFields("field", row.response.schema, ""),
];

/** The part of JSON Schema that has fields. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly "x-basis"?: Label["basis"];
  readonly "x-source"?: string;
}

function labelsOfFields(kind: Kind, schema: TSchema | Shape | undefined, path: string): Labelled[] {
  if (!schema) return [];
  const { properties = {}, items, anyOf = [], patternProperties = {} } = schema as Shape;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const subject = path === "" ? name : `${path}.${name}`;
      const { "x-basis": basis = "assumed", "x-source": source = "" } = field;
      return [[kind, subject, { basis, source }] as const, ...labelsOfFields(kind, field, subject)];
    }),
    ...labelsOfFields(kind, items, `${path}[]`),
    ...Object.values(patternProperties).flatMap((each) => labelsOfFields(kind, each, `${path}.*`)),
    ...anyOf.flatMap((each) => labelsOfFields(kind, each, path)),
  ];
}
