import { usageError } from "../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { readInput } from "../files/input-file.ts";
import { type BodyField, buildRecord, parseField, readTypedValue } from "../framework/body-fields.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";

export const requestBodyOptions = {
  rawField: {
    short: "f",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "set a field without a flag, as text; key[name]= makes a record, key[]= a list",
  },
  field: {
    short: "F",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "set a field to true, false, null, a whole number, or the text of @file",
  },
  input: { value: "file", help: "read the whole body as JSON instead of fields; - for stdin" },
} as const satisfies OptionSpecs;

type FlagValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Builds the body from the command line. The service decides which fields it requires. */
export async function buildRequestBody(
  context: Context,
  flags: FlagValues,
  { rawField = [], field = [], input }: OptionValues<typeof requestBodyOptions>,
): Promise<Readonly<Record<string, unknown>>> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const isEmpty = given.length + rawField.length + field.length === 0;
  if (input !== undefined) {
    if (isEmpty) return parseBody(await readInput(context, input), input === "-" ? "stdin" : input);
    throw usageError("option_conflict", "--input and fields exclude each other", {
      hint: "give the body with --input, or field by field",
    });
  }
  if (isEmpty) {
    throw usageError("missing_option", "the body has no fields", {
      hint: "give the flags that --help lists, -f key=value, or --input FILE",
    });
  }
  const fields = buildRecord(await readFieldValues(context, { rawField, field }));
  const [duplicate] = given.filter(([name]) => Object.hasOwn(fields, name));
  if (!duplicate) return { ...Object.fromEntries(given), ...fields };
  throw usageError("option_conflict", `a flag also sets the field ${duplicate[0]}`, { hint: "set it once" });
}

type FieldValue = readonly [BodyField, Awaited<ReturnType<typeof readTypedValue>>];

/** The values of `-f` and `-F`, with the text of the files that `@file` names. */
export async function readFieldValues(
  context: Context,
  { rawField = [], field = [] }: Partial<OptionValues<typeof requestBodyOptions>>,
): Promise<readonly FieldValue[]> {
  const readText = async (path: string) => (await readInput(context, path)).toString("utf8");
  const typed = field.map(async (each) => [each, await readTypedValue(each, readText)] as const);
  return [...rawField.map((each) => [each, each.value] as const), ...(await Promise.all(typed))];
}

const JSON_HINT = 'write {"field": "value"}';

function parseBody(bytes: Uint8Array, source: string): Record<string, unknown> {
  let body: unknown;
  try {
    // Other bytes would reach the service as other characters (RFC 8259 §8.1).
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    if (!(cause instanceof SyntaxError))
      throw usageError("invalid_input", `${source} is not UTF-8`, { hint: "save it as UTF-8", cause });
    const problem = bytes.length === 0 ? "is empty" : "is not JSON";
    throw usageError("invalid_input", `${source} ${problem}`, { hint: JSON_HINT, cause });
  }
  if (isTooDeep(body)) {
    throw usageError("invalid_input", `the JSON in ${source} is nested too deep`, {
      hint: "check that it is the right file",
    });
  }
  if (isRecord(body)) return body;
  throw usageError("invalid_input", `the JSON in ${source} is not an object`, { hint: JSON_HINT });
}
