import type { ApiResponse } from "../../client/http/response.ts";
import type { Page } from "../../client/paging.ts";
import { toSent } from "../../contract/observed/sent-form.ts";
import { isRecord } from "../../domain/json.ts";
import { parseJsonResponse, unexpectedResponseError } from "../connection/json-response.ts";
import type { Context } from "../context.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { parseInteger } from "../framework/values.ts";
import { type ListColumn, type Output, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";

export const pagingOptions = {
  limit: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "a number of items", min: 1, max: 10_000 }),
    help: "limit the items of a page",
    default: "the service's default",
  },
  all: { help: "show all pages instead of the first" },
} as const satisfies OptionSpecs;

type PagingOptions = OptionValues<typeof pagingOptions>;

export type ServiceRecord = Readonly<Record<string, unknown>>;

interface ListDescription {
  /** The records as messages name them: `webhook endpoints`. */
  readonly noun: string;
  readonly columns: readonly ListColumn<ServiceRecord>[];
  /** For an empty list without a filter. */
  readonly emptyMessage: string;
  /** Field → value of the filter, because the service may have ignored it. */
  readonly filter?: ServiceRecord;
}

/** The first page with a message about further ones, or all pages. `--json` prints one page unchanged, and merges several. */
export function toPagedList(
  context: Context,
  responses: AsyncIterable<Page>,
  { limit, all = false }: PagingOptions,
  { noun, columns, emptyMessage, filter = {} }: ListDescription,
): Output {
  async function* requestedPages(): AsyncGenerator<Page, void> {
    for await (const response of responses) {
      yield response;
      if (all) continue;
      if (response.next)
        printMessage(context, `warning: there are more ${noun}: --all shows all, --limit more at once`);
      return;
    }
  }
  async function* items(): AsyncGenerator<ServiceRecord> {
    for await (const page of requestedPages()) {
      // The service may ignore limit and filter.
      const matching = parsePage(page, noun).items.filter(matchesFilter(filter));
      yield* all ? matching : matching.slice(0, limit);
    }
  }
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  return toListOutput<ServiceRecord>({
    items: items(),
    document: () => (all ? mergePages(requestedPages(), noun) : concatenatePages(requestedPages())),
    columns,
    idOf,
    emptyMessage: hasFilter ? `no ${noun} match; leave out the filter to list all` : emptyMessage,
  });
}

export async function* readItems(
  responses: AsyncIterable<ApiResponse>,
  noun: string,
): AsyncGenerator<ServiceRecord> {
  for await (const response of responses) yield* parseItems(response, noun);
}

export const parseItems = (response: ApiResponse, noun: string): readonly ServiceRecord[] =>
  parsePage(response, noun).items;

export const idOf = ({ id }: ServiceRecord): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

/** Whether an item has these values. A missing field matches. */
export const matchesFilter =
  (filter: ServiceRecord) =>
  (item: ServiceRecord): boolean =>
    Object.entries(filter).every(([name, value]) => value === undefined || (item[name] ?? value) === value);

const LINE_FEED = 0x0a;

async function* concatenatePages(responses: AsyncIterable<ApiResponse>): AsyncGenerator<Uint8Array | string> {
  for await (const { body } of responses) yield* [body, body.at(-1) === LINE_FEED ? "" : "\n"];
}

/** All items in the form of a page, with the other members of the last one. */
async function* mergePages(responses: AsyncIterable<ApiResponse>, noun: string): AsyncGenerator<string> {
  let before = "";
  let after = "";
  for await (const response of responses) {
    const { items, name, rest } = parsePage(response, noun);
    if (before === "") before = name === null ? "[\n" : `{${JSON.stringify(name)}:[\n`;
    for (const item of items) {
      yield before + JSON.stringify(toSent(item));
      before = ",\n";
    }
    const others = JSON.stringify(rest).slice(1);
    after = name === null ? "\n]\n" : `\n]${others === "}" ? "" : ","}${others}\n`;
  }
  yield before === ",\n" ? after : before + after;
}

interface ListPage {
  readonly items: readonly ServiceRecord[];
  /** The member with the items, as the service sent it; null if the page is an array. */
  readonly name: string | null;
  /** The other members, as the service sent them. */
  readonly rest: ServiceRecord;
}

/** Common names of the member with the items. Otherwise, the only array is the list. */
const LIST_FIELD_NAMES = ["data", "items", "results"];

function parsePage(response: ApiResponse, noun: string): ListPage {
  const body = parseJsonResponse(response, noun);
  if (Array.isArray(body) && body.every(isRecord)) return { items: body, name: null, rest: {} };
  const lists = isRecord(body) ? Object.entries(body).filter(([, value]) => Array.isArray(value)) : [];
  const named = lists.find(([name]) => LIST_FIELD_NAMES.includes(name));
  const [, items] = named ?? (lists.length === 1 ? lists[0] : undefined) ?? [];
  if (!Array.isArray(items) || !items.every(isRecord))
    throw unexpectedResponseError(`${noun}: expected a list in the response`);
  const members = Object.entries(toSent(body) as ServiceRecord);
  const [name = ""] = members.find(([, value]) => value === toSent(items)) ?? [];
  const rest = Object.fromEntries(members.filter(([member]) => member !== name));
  return { items, name, rest };
}
