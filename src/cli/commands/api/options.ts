import { parseField } from "../../framework/body-fields.ts";
import type { ArgumentSpec, Invocation } from "../../framework/command.ts";
import { METHODS } from "../../framework/http-methods.ts";
import { allowSunsetOption, type OptionSpecs } from "../../framework/options.ts";
import { parseHeader } from "./headers.ts";

export const apiArguments = [
  { name: "method", help: METHODS.join(", ") },
  { name: "path", help: "path and query, as in /v1/docs/openapi" },
] as const satisfies readonly ArgumentSpec[];

export const apiOptions = {
  header: { short: "H", value: "header", parse: parseHeader, repeats: true, help: "'Name: value'" },
  rawField: {
    short: "f",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "text field of the JSON body, or of the query of a GET; key[name]= and key[]= make records and lists",
  },
  field: {
    short: "F",
    value: "key=value",
    parse: parseField,
    repeats: true,
    help: "the same for true, false, null, a whole number, or @file for the text of a file",
  },
  input: { value: "file", help: "file to use as the body, - for stdin; JSON unless -H says otherwise" },
  paginate: { help: "follow the links to further pages; print one page a line" },
  ...allowSunsetOption,
  include: { short: "i", help: "print status and headers before the body" },
} as const satisfies OptionSpecs;

export type ApiInvocation = Invocation<typeof apiOptions, typeof apiArguments>;
