import type { Operation } from "../operations/operation.ts";
import type { ServiceForm } from "./service-form.ts";

/** Keeps what is derived from a form, once for each operation, for as long as the form lives. */
export function cacheByForm<Value>(create: (form: ServiceForm, operation: Operation) => Value) {
  const byForm = new WeakMap<ServiceForm, Map<string, Value>>();
  return (form: ServiceForm, operation: Operation): Value => {
    const values = byForm.get(form) ?? new Map<string, Value>();
    byForm.set(form, values);
    if (!values.has(operation.id)) values.set(operation.id, create(form, operation));
    return values.get(operation.id) as Value;
  };
}
