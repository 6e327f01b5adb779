import type { TProperties, TSchema } from "typebox";
import { type Gap, STATEMENTS, type Stated } from "./register.ts";

/** Whether `interface.md` says it, or only we do (product.md, promise 1). */
export type Basis = "documented" | "assumed";

/** `source` is the statement of the interface that says it; for an assumption, the one that leaves it open. */
export interface Label {
  readonly basis: Basis;
  readonly source: string;
}

/** The label of every field of an object, or of each by its name. */
export type FieldLabel = Label | ((field: string) => Label);

/** A rule about an operation that a schema cannot express. */
export interface Behaviour extends Label {
  readonly rule: string;
}

const { contract, client, open } = STATEMENTS;
const STATED: Readonly<Record<Stated, string>> = { ...contract, ...client };
const GAPS: Readonly<Record<Gap, string>> = { ...contract, ...open };

export const documented = (statement: Stated): Label => ({
  basis: "documented",
  source: STATED[statement],
});
export const assumed = (gap: Gap): Label => ({ basis: "assumed", source: GAPS[gap] });

/** The labels of an operation that the broker alias map shows with its verb (interface §4). */
export const IN_ALIAS_MAP = { label: documented("alias.map"), methodLabel: documented("alias.verbs") };

export const statementText = (id: Stated | Gap): string => ({ ...STATED, ...GAPS })[id];

/** The labels of fields that have a statement each: `delivery.status`. */
export const documentedFields = (noun: "endpoint" | "delivery" | "submit" | "test") => (field: string) =>
  documented(`${noun}.${field}` as Stated);

export const statedRules = (...statements: readonly Stated[]): Behaviour[] =>
  statements.map((statement) => ({
    rule: STATED[statement].replace(/^.*?: /, ""),
    ...documented(statement),
  }));

export const rules = (label: Label, ...texts: readonly string[]): Behaviour[] =>
  texts.map((rule) => ({ rule, ...label }));

export function withLabel<S extends TSchema>(label: Label, schema: S): S {
  // A spread would lose the non-enumerable marks by which TypeBox knows its own schemas.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { "x-basis": label.basis, "x-source": label.source });
}

export function labelFields<P extends TProperties>(label: FieldLabel, properties: P): P {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    "x-basis" in schema ? schema : withLabel(typeof label === "function" ? label(name) : label, schema),
  ]);
  return Object.fromEntries(entries) as P;
}
