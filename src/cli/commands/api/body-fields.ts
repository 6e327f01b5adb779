import { usageError } from "../../../domain/errors.ts";

/** A field of `-f` or `-F`: `name=Acme`, or `tags[]=a`, which adds an item to a list. */
export interface BodyField {
  /** As typed: `tags[]`. */
  readonly key: string;
  readonly name: string;
  readonly isItem: boolean;
  readonly value: string;
}

export function parseField(text: string): BodyField {
  const [, name, brackets, value = ""] = /^([^=]+?)(\[\])?=(.*)$/s.exec(text) ?? [];
  if (name !== undefined)
    return { key: `${name}${brackets ?? ""}`, name, isItem: brackets !== undefined, value };
  throw usageError("option_invalid", `"${text.replace(/=.*/s, "=…")}" is not a field`, {
    hint: "write key=value, or key[]=value for an item of a list",
  });
}

export type FieldValue = string | number | boolean | null;

export function buildRecord(fields: readonly (readonly [BodyField, FieldValue])[]): object {
  const record = new Map<string, FieldValue | readonly FieldValue[]>();
  for (const [{ key, name, isItem }, value] of fields) {
    if (/[[\]]/.test(name))
      throw usageError("option_invalid", `"${key}" is not a field of a body`, {
        hint: "give a body with objects inside it as JSON: --input FILE, or - for stdin",
      });
    const before = record.has(name) ? record.get(name) : [];
    if (isItem && Array.isArray(before)) record.set(name, [...before, value]);
    else if (!record.has(name)) record.set(name, value);
    else
      throw usageError("option_conflict", `the field ${name} contradicts an earlier field`, {
        hint: "give a field once; key[]=value makes a list of several",
      });
  }
  return Object.fromEntries(record);
}
