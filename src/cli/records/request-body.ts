import { ClaimsError, usageError } from "../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { readInput } from "../files/input-file.ts";
import { buildRecord, parseField, readTypedValue } from "../framework/body-fields.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";

/** How a body is given beside the flags that a command has for its fields. */
export const requestBodyOptions = {
  rawField: {
    short: "f",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "a field that has no flag, as text; key[name]= and key[]= make records and lists",
  },
  field: {
    short: "F",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "the same for true, false, null, a whole number, or @file for the text of a file",
  },
  input: { value: "file", help: "the whole body as JSON, in place of any field; - for stdin" },
} as const satisfies OptionSpecs;

/** The values of a command's own flags by the names of the fields; undefined where a flag was not given. */
type FlagValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body that a command line stands for. What it has to have is up to the service. */
export async function buildRequestBody(
  context: Context,
  flags: FlagValues,
  { rawField = [], field = [], input }: OptionValues<typeof requestBodyOptions>,
): Promise<Readonly<Record<string, unknown>>> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const isNothing = given.length + rawField.length + field.length === 0;
  if (input !== undefined) {
    if (isNothing) return parseBody(await readInput(context, input), input);
    throw usageError("conflicting_bodies", "--input and fields are two bodies", {
      hint: "give the body by --input, or field by field",
    });
  }
  if (isNothing) {
    throw usageError("nothing_to_send", "there is no field to send", {
      hint: "give the flags that --help lists, -f key=value, or --input FILE",
    });
  }
  const read = async (path: string) => (await readInput(context, path)).toString("utf8");
  const raw = rawField.map((each) => [each, each.value] as const);
  const typed = await Promise.all(
    field.map(async (each) => [each, await readTypedValue(each, read)] as const),
  );
  const fields = buildRecord([...raw, ...typed]);
  const [duplicate] = given.filter(([name]) => Object.hasOwn(fields, name));
  if (!duplicate) return { ...Object.fromEntries(given), ...fields };
  throw usageError("field_clash", `the field ${duplicate[0]} is given by a flag as well`, {
    hint: "give it once",
  });
}

function parseBody(bytes: Uint8Array, path: string): Record<string, unknown> {
  const what = path === "-" ? "stdin" : path;
  const body = parseJson(bytes, what);
  if (isTooDeep(body)) {
    throw usageError("nested_too_deep", `${what} holds JSON that nests too deep to be a body`, {
      hint: "name the file that was meant",
    });
  }
  if (isRecord(body)) return body;
  throw usageError("not_an_object", `${what} holds JSON that is no object`, {
    hint: 'write {"field": "value"}',
  });
}

function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes, what));
  } catch (cause) {
    if (cause instanceof ClaimsError) throw cause;
    const fault = bytes.length === 0 ? "is empty" : "is not JSON";
    throw usageError("not_json", `${what} ${fault}`, { hint: 'write {"field": "value"}', cause });
  }
}

/** Bytes that are no UTF-8 would reach the service as other characters than were meant (RFC 8259 §8.1). */
function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw usageError("not_utf8", `${what} is not UTF-8`, { hint: "save it as UTF-8", cause });
  }
}
