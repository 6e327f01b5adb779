import type { ApiResponse } from "../../client/client.ts";
import { hasNextPage } from "../../client/paging.ts";
import { type ClaimsError, unreachableError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { parseJsonResponse } from "../connection/json-response.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { parseInteger } from "../framework/values.ts";
import { type ListColumn, type Output, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";

/** What every command takes that lists what a service has. */
export const pagingOptions = {
  limit: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "a number of items", min: 1, max: 10_000 }),
    help: "how many a page has at the most (as the service has it)",
  },
  all: { help: "every page, not the first one alone" },
} as const satisfies OptionSpecs;

type PagingOptions = OptionValues<typeof pagingOptions>;

/** One item of a list, as the service sent it. */
export type ServiceRecord = Readonly<Record<string, unknown>>;

/** What a list shows, and of what. */
interface ListDescription {
  /** As messages name them: `webhook endpoints`. */
  readonly what: string;
  readonly columns: readonly ListColumn<ServiceRecord>[];
  /** Said where there is none at all. */
  readonly empty: string;
  /** Field → the value that was asked for: the service may have overlooked the question. */
  readonly filter?: ServiceRecord;
}

/** A page as it was read. */
interface ParsedPage {
  readonly items: readonly ServiceRecord[];
  /** Null where the page is the list itself. */
  readonly name: string | null;
  /** What stands beside the list. */
  readonly rest: ServiceRecord;
}

/**
 * The pages of a list: the first one with a word that there is more, or all of them. `--json` prints the first page as it
 * came; several become one of the same form.
 */
export function toPagedList(
  context: Context,
  pages: AsyncIterable<ApiResponse>,
  { limit, all = false }: PagingOptions,
  { what, columns, empty, filter: only = {} }: ListDescription,
): Output {
  async function* requestedPages(): AsyncGenerator<ApiResponse, void> {
    for await (const answer of pages) {
      yield answer;
      if (all) continue;
      if (hasNextPage(answer))
        printMessage(context, `there are more ${what}: --all shows every one, --limit more at once`);
      return;
    }
  }
  async function* items(): AsyncGenerator<ServiceRecord> {
    for await (const page of requestedPages()) {
      // A service that knows no such parameter sends what it likes.
      yield* parseItems(page, what)
        .filter(matchesFilter(only))
        .slice(0, all ? undefined : limit);
    }
  }
  return toListOutput<ServiceRecord>({
    items: items(),
    document: () => (all ? mergePages(requestedPages(), what) : concatenatePages(requestedPages())),
    columns,
    idOf,
    emptyMessage: hasFilter(only)
      ? `there are no such ${what}; without a filter all of them are listed`
      : empty,
  });
}

/** The items of every page. */
export async function* readItems(
  pages: AsyncIterable<ApiResponse>,
  what: string,
): AsyncGenerator<ServiceRecord> {
  for await (const answer of pages) yield* parsePage(answer, what).items;
}

/** The items of one page. */
export const parseItems = (answer: ApiResponse, what: string): readonly ServiceRecord[] =>
  parsePage(answer, what).items;

/** Of a record that goes by an id. */
export const idOf = ({ id }: ServiceRecord): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

/** Whether an item has each of these values, or says nothing of it. */
export const matchesFilter =
  (filter: ServiceRecord) =>
  (item: ServiceRecord): boolean =>
    Object.entries(filter).every(([name, value]) => value === undefined || (item[name] ?? value) === value);

const hasFilter = (only: ServiceRecord): boolean => Object.values(only).some((value) => value !== undefined);

async function* concatenatePages(pages: AsyncIterable<ApiResponse>): AsyncGenerator<Uint8Array | string> {
  for await (const { body } of pages) yield* [body, body.at(-1) === NEWLINE ? "" : "\n"];
}

const NEWLINE = 0x0a;

/** The items of all pages in the form of one: what stands beside them is the last page's. */
async function* mergePages(pages: AsyncIterable<ApiResponse>, what: string): AsyncGenerator<string> {
  let before = "";
  let after = "";
  for await (const answer of pages) {
    const { items, name, rest } = parsePage(answer, what);
    if (before === "") before = name === null ? "[\n" : `{${JSON.stringify(name)}:[\n`;
    for (const item of items) {
      yield before + JSON.stringify(item);
      before = ",\n";
    }
    const beside = JSON.stringify(rest).slice(1);
    after = name === null ? "\n]\n" : `\n]${beside === "}" ? "" : ","}${beside}\n`;
  }
  yield before === ",\n" ? after : before + after;
}

/** Names that lists of services go by; failing these, the only list that there is. */
const LIST_FIELD_NAMES = ["data", "items", "results"];

function parsePage(answer: ApiResponse, what: string): ParsedPage {
  const body = parseJsonResponse(answer, what);
  if (Array.isArray(body) && body.every(isRecord)) return { items: body, name: null, rest: {} };
  const lists = isRecord(body) ? Object.entries(body).filter(([, value]) => Array.isArray(value)) : [];
  const found =
    lists.find(([name]) => LIST_FIELD_NAMES.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined);
  const [name, items] = found ?? [null, null];
  if (name === null || !Array.isArray(items) || !items.every(isRecord)) throw notAListError(what);
  const { [name]: _, ...rest } = body as ServiceRecord;
  return { items, name, rest };
}

const notAListError = (what: string): ClaimsError =>
  unreachableError("unexpected_response", `${what}: the answer is no list that can be read`, {
    hint: "see it as it is with `claims api GET`; check that the base URL is the service itself",
  });
