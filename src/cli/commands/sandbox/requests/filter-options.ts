import { usageError } from "../../../../domain/errors.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";

export const filterOptions = {
  operation: { value: "operation", help: "only requests for this operation, as in diligence.submit" },
  status: { value: "status", parse: parseStatus, help: "only responses with this status: 404, or 4xx" },
  method: { value: "method", help: "only requests with this method" },
  path: { value: "prefix", help: "only requests whose path starts with this" },
  since: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "the number of a request", min: 0, max: 1e15 }),
    help: "only requests after the one of this number",
  },
  faulty: { help: "only requests that a fault was applied to" },
} as const satisfies OptionSpecs;

export const limitOption = {
  value: "n",
  parse: (text: string) => parseInteger(text, { what: "a number of requests", min: 1, max: 100_000 }),
  help: "the latest n",
} as const;

export const requestArgument = { name: "request", help: "its number or its request id" } as const;

type Filter = OptionValues<typeof filterOptions> & { readonly limit?: number | undefined };

export const toQuery = ({ operation, status, method, path, since, faulty, limit }: Filter) => ({
  ...{ operation, status, method, path, since, limit },
  fault: faulty ? true : undefined,
});

function parseStatus(text: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return text;
  throw usageError("option_invalid", `"${text}" is not a status`, { hint: "write 404, or 4xx" });
}
