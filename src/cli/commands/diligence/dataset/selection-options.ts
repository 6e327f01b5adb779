import type { Day } from "../../../../domain/entries/dates.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatThousands } from "../../../../domain/numbers.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseDayLimit, parseRowLimit } from "../../../framework/values.ts";
import { MAX_SORTED_ROWS, type RowSelection, sortNeedsLimitError } from "./select-rows.ts";

export const selectionOptions = {
  route: { value: "route", repeats: true, help: "print only the rows of this route, as in cape" },
  dueBefore: {
    value: "date",
    parse: parseDayLimit,
    help: "print only the rows whose next deadline is before a date, or at most so many days away, as in 14d",
  },
  sort: { value: "name", help: "sort by this field; rows without a value come last" },
  order: { value: "direction", choices: ["asc", "desc"], help: "direction of --sort", default: "asc" },
  limit: {
    value: "n",
    parse: parseRowLimit,
    help: `print at most so many rows; --sort needs it beyond ${formatThousands(MAX_SORTED_ROWS)} rows`,
  },
} as const satisfies OptionSpecs;

/** Null if the command prints every row in the order of the dataset. */
export function toSelection(
  { dueBefore, limit, order, route: routes = [], sort }: OptionValues<typeof selectionOptions>,
  today: Day,
): RowSelection | null {
  if (order !== undefined && sort === undefined)
    throw usageError("missing_option", "--order needs --sort", { hint: "name a field with --sort" });
  if (sort !== undefined && limit !== undefined && limit > MAX_SORTED_ROWS) throw sortNeedsLimitError();
  if (routes.length === 0 && [dueBefore, limit, sort].every((given) => given === undefined)) return null;
  return {
    routes,
    dueBefore: dueBefore?.(today),
    sort: sort === undefined ? undefined : { field: sort, isDescending: order === "desc" },
    limit,
  };
}
