import type { RequestFilter } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseInteger } from "../../../framework/values.ts";

/** Which of the requests that a sandbox keeps. */
export const filterOptions = {
  operation: { value: "operation", help: "only those for this operation, as in diligence.submit" },
  status: { value: "status", parse: parseStatus, help: "only those answered so: 404, or 4xx" },
  method: { value: "method", help: "only those with this method" },
  path: { value: "prefix", help: "only those whose path begins so" },
  since: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "the number of a request", min: 0, max: 1e15 }),
    help: "only those after the request of this number",
  },
  faulty: { help: "only those that a fault was applied to" },
} as const satisfies OptionSpecs;

/** How many of them. */
export const limitOption = {
  value: "n",
  parse: (text: string) => parseInteger(text, { what: "a number of requests", min: 1, max: 100_000 }),
  help: "the latest that many",
} as const;

/** The argument that names one of them. */
export const requestArgument = { name: "request", help: "its number, or its request id" } as const;

type FilterValues = OptionValues<typeof filterOptions> & { readonly limit?: number | undefined };

/** The same as a query of the control API, with its question mark; empty where nothing is filtered. */
export function toQuery(
  { faulty, ...given }: FilterValues,
  more: Readonly<Record<string, string>> = {},
): string {
  const { operation, status, method, path, since, limit } = given;
  const filter: { readonly [Part in keyof RequestFilter]: RequestFilter[Part] | undefined } = {
    ...{ operation, status, method, path, since, limit },
    fault: faulty ? true : undefined,
  };
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

function parseStatus(text: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return text;
  throw new ClaimsError("usage", "invalid_status", `"${text}" is no status`, { hint: "write 404, or 4xx" });
}
