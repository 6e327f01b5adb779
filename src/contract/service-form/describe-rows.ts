import { ALL_OPERATIONS } from "../operations.ts";
import { type ContractRecord, findContractResponse } from "./contract-records.ts";
import { listFormRows } from "./rows.ts";
import type { Row, ServiceForm } from "./service-form.ts";

/** One thing that a service does otherwise than the contract. */
export interface FormDifference {
  /** The operation's id; `*` for the errors of all. */
  readonly operation: string;
  readonly subject: string;
  readonly seen: string;
}

export function describeRows(form: ServiceForm): FormDifference[] {
  const ofOperations = ALL_OPERATIONS.flatMap((operation): FormDifference[] => {
    const { id } = operation;
    const { record: name, ...own } = form.operations?.[id] ?? {};
    const { record } = findContractResponse(operation);
    const add = (subject: string, seen: unknown) => ({ operation: id, subject, seen: describe(seen) });
    return [
      ...Object.entries(own).map(([member, value]) =>
        member === "items" ? add("data", value === "" ? "a bare list" : value) : add(member, value),
      ),
      ...listRows(form, record, name ?? record.name).map(([field, row]) => add(field, row)),
    ];
  });
  const errors = Object.entries(form.errors ?? {}).map(([member, value]) => ({
    operation: "*",
    subject: `errors ${member}`,
    seen: describe(value),
  }));
  return [...ofOperations, ...errors];
}

const describe = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function listRows(form: ServiceForm, record: ContractRecord, name: string): [string, Row][] {
  const nested = [...record.fields.values()].flatMap(({ name: field, record: inner }) =>
    inner
      ? listRows(form, inner, inner.name).map(([path, row]): [string, Row] => [`${field}.${path}`, row])
      : [],
  );
  return [...Object.entries(listFormRows(form, name)), ...nested];
}
