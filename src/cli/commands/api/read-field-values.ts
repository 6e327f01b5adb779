import { usageError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import type { BodyField, FieldValue } from "./body-fields.ts";

interface FieldOptions {
  readonly rawField?: readonly BodyField[] | undefined;
  readonly typedField?: readonly BodyField[] | undefined;
}

/** The values of `-f` and `-F`, with the text of the files that `@file` names. */
export async function readFieldValues(context: Context, { rawField = [], typedField = [] }: FieldOptions) {
  const typed = typedField.map(async (each) => [each, await readTypedValue(context, each)] as const);
  return [...rawField.map((each) => [each, each.value] as const), ...(await Promise.all(typed))];
}

async function readTypedValue(context: Context, { key, value }: BodyField): Promise<FieldValue> {
  if (value.startsWith("@")) return (await readInput(context, value.slice(1))).toString("utf8");
  if (value === "null") return null;
  if (value === "true" || value === "false") return value === "true";
  if (!/^-?(0|[1-9]\d*)$/.test(value)) return value;
  if (Number.isSafeInteger(Number(value))) return Number(value);
  throw usageError("option_invalid", `-F ${key}: ${value} is too large for an exact JSON number`, {
    hint: `send it as text with -f ${key}=…, or the whole body with --input`,
  });
}
