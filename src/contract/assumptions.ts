import type { TSchema } from "typebox";
import type { Label } from "./labels.ts";
import { type Operation, statusLabelOf } from "./operation.ts";
import { ALL_OPERATIONS } from "./operations.ts";
import { problem } from "./problems.ts";

/** Something that the sandbox decided where the interface says nothing (product.md, promise 1). */
export interface Assumption {
  /** The operation's id; `*` for what all of them share. */
  readonly operation: string;
  readonly kind: "operation" | "behaviour" | "response" | "parameter" | "request" | "field" | "problem";
  /** The field's path, or the rule in words. */
  readonly subject: string;
  /** The sentence of the interface that it stands in for. */
  readonly source: string;
}

/** Every assumption of the contract table, in its order. */
export const listAssumptions = (): Assumption[] => [
  ...ALL_OPERATIONS.flatMap(listOperationAssumptions),
  ...listFieldAssumptions(problem, "*", "problem", ""),
];

function listOperationAssumptions(operation: Operation): Assumption[] {
  const { id, label, response: answer, params, query, request, behaviours } = operation;
  return [
    ...toAssumption(label, id, "operation", `${operation.method} ${operation.path}`),
    ...behaviours.flatMap((rule) => toAssumption(rule, id, "behaviour", rule.rule)),
    ...(params ? listFieldAssumptions(params, id, "parameter", "") : []),
    ...(query ? listFieldAssumptions(query, id, "parameter", "") : []),
    ...(request ? listFieldAssumptions(request.schema, id, "request", "") : []),
    ...toAssumption(statusLabelOf(answer), id, "response", `the status is ${answer.status}`),
    ...listFieldAssumptions(answer.schema, id, "field", ""),
  ];
}

function toAssumption(
  { basis, source }: Label,
  operation: string,
  kind: Assumption["kind"],
  what: string,
): Assumption[] {
  return basis === "assumed" ? [{ operation, kind, subject: what, source: source }] : [];
}

/** The little of JSON Schema that a walk through fields needs. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly "x-basis"?: Label["basis"];
  readonly "x-source"?: string;
}

function listFieldAssumptions(
  schema: TSchema | Shape,
  operation: string,
  kind: Assumption["kind"],
  path: string,
): Assumption[] {
  const shape = schema as Shape;
  const inner = [
    ...(shape.items ? [[`${path}[]`, shape.items] as const] : []),
    ...Object.values(shape.patternProperties ?? {}).map((each) => [`${path}.*`, each] as const),
    ...(shape.anyOf ?? []).map((each) => [path, each] as const),
  ];
  return [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, field]) => {
      const place = path === "" ? name : `${path}.${name}`;
      const label: Label = { basis: field["x-basis"] ?? "assumed", source: field["x-source"] ?? "" };
      return [
        ...toAssumption(label, operation, kind, place),
        ...listFieldAssumptions(field, operation, kind, place),
      ];
    }),
    ...inner.flatMap(([place, each]) => listFieldAssumptions(each, operation, kind, place)),
  ];
}
