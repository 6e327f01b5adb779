import type { TProperties, TSchema } from "typebox";
import { type OpenStatementId, STATEMENTS, type StatementId } from "./statements.ts";

/** Whether `interface.md` says it, or only we do (product.md, promise 1). */
export type Basis = "documented" | "assumed";

/** `source` is the statement of the interface that says it; for an assumption, the one that leaves it open. */
export interface SourcedBasis {
  readonly basis: Basis;
  readonly source: string;
}

/** The label of every field of an object, or of each by its name. */
export type FieldBasis = SourcedBasis | ((field: string) => SourcedBasis);

/** A rule about an operation that a schema cannot express. */
export interface Behaviour extends SourcedBasis {
  readonly rule: string;
}

const { contract, client, open } = STATEMENTS;
const STATEMENTS_BY_ID: Readonly<Record<StatementId, string>> = { ...contract, ...client };
const OPEN_STATEMENTS: Readonly<Record<OpenStatementId, string>> = { ...contract, ...open };

export const documented = (statement: StatementId): SourcedBasis => ({
  basis: "documented",
  source: STATEMENTS_BY_ID[statement],
});
export const assumed = (gap: OpenStatementId): SourcedBasis => ({
  basis: "assumed",
  source: OPEN_STATEMENTS[gap],
});

/** The labels of an operation that the broker alias map shows with its verb (interface §4). */
export const IN_ALIAS_MAP = { label: documented("alias.map"), methodLabel: documented("alias.verbs") };

export const statementText = (id: StatementId | OpenStatementId): string =>
  ({ ...STATEMENTS_BY_ID, ...OPEN_STATEMENTS })[id];

/** The labels of fields that have a statement each: `delivery.status`. */
export const documentedFields = (noun: "endpoint" | "delivery" | "submit" | "test") => (field: string) =>
  documented(`${noun}.${field}` as StatementId);

export const statedRules = (...statements: readonly StatementId[]): Behaviour[] =>
  statements.map((statement) => ({
    rule: STATEMENTS_BY_ID[statement].replace(/^.*?: /, ""),
    ...documented(statement),
  }));

export const rules = (label: SourcedBasis, ...texts: readonly string[]): Behaviour[] =>
  texts.map((rule) => ({ rule, ...label }));

export function withLabel<S extends TSchema>(label: SourcedBasis, schema: S): S {
  // A spread would lose the non-enumerable marks by which TypeBox knows its own schemas.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { "x-basis": label.basis, "x-source": label.source });
}

export function labelFields<P extends TProperties>(label: FieldBasis, properties: P): P {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    "x-basis" in schema ? schema : withLabel(typeof label === "function" ? label(name) : label, schema),
  ]);
  return Object.fromEntries(entries) as P;
}
