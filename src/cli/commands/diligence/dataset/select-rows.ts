import { copyText } from "../../../../domain/entries/csv/copy-text.ts";
import { type Day, parseIsoDay } from "../../../../domain/entries/dates.ts";
import { unreachableError, usageError } from "../../../../domain/errors.ts";
import { formatThousands } from "../../../../domain/numbers.ts";
import type { ReceivedRow } from "./entries.ts";

export const MAX_SORTED_ROWS = 100_000;
const MAX_NAMED_ROUTES = 20;

export interface RowSelection {
  /** Any of them; none means all. */
  readonly routes: readonly string[];
  readonly dueBefore: Day | undefined;
  readonly sort: RowOrder | undefined;
  readonly limit: number | undefined;
}

interface RowOrder {
  readonly field: string;
  readonly isDescending: boolean;
}

/** Without a sort, it stops reading after the last row. @throws ClaimsError `unknown_field`, `option_conflict` */
export async function* selectRows<R extends ReceivedRow>(
  rows: AsyncIterable<R>,
  selection: RowSelection,
  warn: (message: string) => void,
): AsyncGenerator<R> {
  const matching = filterRows(rows, selection, warn);
  const { limit, sort } = selection;
  if (sort) return yield* sortRows(matching, sort, limit);
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const row of matching) {
    yield row;
    left -= 1;
    if (left === 0) return;
  }
}

async function* filterRows<R extends ReceivedRow>(
  rows: AsyncIterable<R>,
  { routes, dueBefore, sort }: RowSelection,
  warn: (message: string) => void,
): AsyncGenerator<R> {
  const missing = new Set([
    ...(routes.length > 0 ? ["route"] : []),
    ...(dueBefore === undefined ? [] : [NEXT_DEADLINE]),
    ...(sort ? [sort.field] : []),
  ]);
  const seenRoutes = new Set<string>();
  let first: R | undefined;
  for await (const row of rows) {
    first ??= row;
    for (const field of missing) if (row.has(field)) missing.delete(field);
    if (routes.length > 0) {
      const route = String(row.read("route"));
      if (seenRoutes.size < MAX_NAMED_ROUTES) seenRoutes.add(copyText(route));
      if (!routes.includes(route)) continue;
    }
    if (dueBefore !== undefined) {
      const deadline = parseDeadline(row.read(NEXT_DEADLINE));
      if (deadline === null || deadline >= dueBefore) continue;
    }
    yield row;
  }
  if (first === undefined) return;
  requireFields(missing, first);
  for (const route of routes)
    if (!seenRoutes.has(route))
      warn(`no row has the route "${route}"; the routes are ${[...seenRoutes].sort().join(", ")}`);
}

function requireFields(missing: ReadonlySet<string>, row: ReceivedRow): void {
  if (missing.size === 0) return;
  throw usageError("unknown_field", `the dataset has no field ${[...missing].join(", ")}`, {
    hint: `the fields are ${row.listFields().join(", ")}`,
  });
}

interface SortedRow<R> {
  readonly row: R;
  readonly key: SortKey;
}

type SortKey = number | string | null;

/** Yields the first `limit` rows in the order. Holds a few more rows than it yields. */
async function* sortRows<R extends ReceivedRow>(
  rows: AsyncIterable<R>,
  { field, isDescending }: RowOrder,
  limit: number | undefined,
): AsyncGenerator<R> {
  const compare = (one: SortedRow<R>, other: SortedRow<R>) =>
    compareKeys(one.key, other.key, isDescending ? -1 : 1);
  const maxHeld = limit === undefined ? MAX_SORTED_ROWS : limit + Math.max(1_000, limit / 4);
  const held: SortedRow<R>[] = [];
  for await (const row of rows) {
    const key = toSortKey(row.read(field));
    row.compact();
    held.push({ row, key });
    if (held.length <= maxHeld) continue;
    if (limit === undefined) throw sortNeedsLimitError();
    held.sort(compare).splice(limit);
  }
  held.sort(compare).splice(limit ?? held.length);
  for (const { row } of held) yield row;
}

export const sortNeedsLimitError = () => {
  const most = formatThousands(MAX_SORTED_ROWS);
  return usageError(
    "option_conflict",
    `--sort holds at most ${most} rows in memory, and the dataset has more`,
    { hint: `add --limit N, at most ${most}; or sort the file of --out with another program` },
  );
};

/** The cells of a CSV are text, so that a number is what looks like one. */
function toSortKey(value: unknown): SortKey {
  if (value === null || value === "") return null;
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : copyText(text);
}

/** Numbers come before text, and rows without a value last in both directions. */
function compareKeys(one: SortKey, other: SortKey, direction: 1 | -1): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one !== typeof other) return typeof one === "number" ? -direction : direction;
  return one < other ? -direction : one > other ? direction : 0;
}

/** The field of a dataset row with the deadline of its route (diligence-model §3). */
export const NEXT_DEADLINE = "nextDeadline";
const ISO_DATE_LENGTH = "2026-02-20".length;

/** Null for none. A service may send a time instead of a date. @param value JSON, or the cell of a CSV */
export function parseDeadline(value: unknown): Day | null {
  if (value === null || value === undefined || value === "") return null;
  const day = typeof value === "string" ? parseIsoDay(value.slice(0, ISO_DATE_LENGTH)) : null;
  if (day !== null) return day;
  throw unreachableError(
    "unexpected_response",
    `the dataset has the ${NEXT_DEADLINE} ${JSON.stringify(value)}`,
    { hint: "expected YYYY-MM-DD; print what the service sends with --json or --csv" },
  );
}
