import type { ApiResponse } from "../../client/http/response.ts";
import { ListEvidence } from "../../client/list-evidence.ts";
import type { Page } from "../../client/paging.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { toSent } from "../../contract/service-form/sent.ts";
import { ClaimsError, rejectedError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { parseJsonResponse, unexpectedResponseError } from "../connection/json-response.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../framework/options.ts";
import { listItemFields } from "../framework/response-fields.ts";
import { parseInteger } from "../framework/values.ts";
import { chooseFormat } from "../output/format.ts";
import { hiddenColumns, type ListColumn, type Output, readCell, toListOutput } from "../output/output.ts";
import { printMessage } from "../output/stderr.ts";

export const pagingOptions = {
  limit: {
    value: "n",
    parse: (text) =>
      parseInteger(text, { what: "a number of items", min: 1, max: 10_000, more: "--all shows all" }),
    help: "limit the items of a page",
    default: "the service's default",
  },
  all: { help: "show all pages instead of the first" },
} as const satisfies OptionSpecs;

export type ServiceRecord = Readonly<Record<string, unknown>>;

interface ListDescription {
  readonly operation: Operation;
  /** The records as messages name them: `webhook endpoints`. */
  readonly noun: string;
  /** Programs also get the other fields of the contract. */
  readonly columns: readonly ListColumn<ServiceRecord>[];
  /** For an empty list without a filter. */
  readonly emptyMessage: string;
  /** Field → value of the filter, because the service may have ignored it. */
  readonly filter?: ServiceRecord;
  /** Messages for a terminal about the items that it showed. */
  readonly notes?: ((items: readonly ServiceRecord[]) => Promise<readonly string[]>) | undefined;
}

interface ListCall {
  readonly global: GlobalOptions;
  readonly options: OptionValues<typeof pagingOptions>;
}

/** The first page with a message about further ones, or all pages. `--json` prints one page unchanged, and merges several. */
export function toPagedList(
  context: Context,
  responses: AsyncIterable<Page>,
  { global, options: { limit, all = false } }: ListCall,
  { operation, noun, columns: visible, emptyMessage, filter = {}, notes }: ListDescription,
): Output {
  const named = new Set(visible.map(({ name }) => name));
  const others = listItemFields(operation).filter((name) => !named.has(name));
  const columns = [...visible, ...hiddenColumns(...others)];
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const evidence = new ListEvidence();
  let failure: ClaimsError | undefined;
  let warnsOfFields = !global.fields && ["text", "csv"].includes(chooseFormat(global));
  const warn = (message: string) => printMessage(context, `warning: ${message}`);
  async function* requestedPages(): AsyncGenerator<ListPage> {
    for await (const page of readPages(responses, noun, evidence)) {
      yield page;
      if (all) continue;
      if (page.response.next) return warn(`there are more ${noun}: --all shows all, --limit more at once`);
      break;
    }
    const { count, more, total, showsPaging } = evidence;
    const isIncomplete = more !== null || (total !== null && !hasFilter && !showsPaging);
    if (isIncomplete && all) failure = incompleteError(evidence, noun);
    else if (isIncomplete) warn(incompleteError(evidence, noun).message);
    else if (total !== null) warn(`the service sent ${count} ${noun}, but ${total}, which may count others`);
  }
  const shown: ServiceRecord[] = [];
  async function* items(): AsyncGenerator<ServiceRecord> {
    let hidesSome = false;
    for await (const page of requestedPages()) {
      // The service may ignore limit and filter.
      const sent = requireItems(page, noun);
      const matching = sent.filter(matchesFilter(filter));
      hidesSome ||= matching.length < sent.length;
      for (const item of all ? matching : matching.slice(0, limit)) {
        if (warnsOfFields && columns.every((column) => (readCell(column, item) ?? "") === "")) {
          warn(`${noun} have ${describeFields(item)}, which no column shows: --fields shows them`);
          warnsOfFields = false;
        }
        if (notes) shown.push(item);
        yield item;
      }
    }
    if (hidesSome) warn(describeHidden(noun));
  }
  return toListOutput<ServiceRecord>({
    items: items(),
    document: () => (all ? mergePages(requestedPages(), noun) : concatenatePages(requestedPages())),
    columns,
    idOf(item) {
      const id = idOf(item);
      if (id === null) failure ??= noIdError(item, noun);
      return id;
    },
    emptyMessage: hasFilter ? `no ${noun} match; leave out the filter to list all` : emptyMessage,
    notes: async () => (await notes?.(shown)) ?? [],
    failure: () => failure,
  });
}

async function* readPages(responses: AsyncIterable<Page>, noun: string, evidence: ListEvidence) {
  try {
    for await (const response of responses) {
      const page = parsePage(response, noun);
      evidence.add(response, page.holder, page.items ?? []);
      yield page;
    }
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "paging_elsewhere") throw error;
    evidence.more = error.message;
  }
}

function incompleteError({ count, more, total }: ListEvidence, noun: string): ClaimsError {
  const message = `there are more ${noun} than the ${count} that the service sent: ${more ?? total}`;
  return rejectedError("list_incomplete", message, {
    hint: "this program cannot follow these pages; `claims api GET` reads one with the parameters of the service",
  });
}

const describeFields = (item: ServiceRecord): string => {
  const names = Object.keys(Object(toSent(item)));
  return names.length === 0 ? "no fields" : `the fields ${names.join(", ")}`;
};

const noIdError = (item: ServiceRecord, noun: string): ClaimsError =>
  rejectedError("response_incomplete", `${noun} have no id, but ${describeFields(item)}`, {
    hint: "choose the field that identifies them with --fields",
  });

export const parseItems = (response: ApiResponse, noun: string): readonly ServiceRecord[] =>
  requireItems(parsePage(response, noun), noun);

export const idOf = ({ id }: ServiceRecord): string | null =>
  typeof id === "string" || typeof id === "number" ? String(id) : null;

/** Whether an item has these values, as numbers or in any letter case. A missing field matches. */
export const matchesFilter =
  (filter: ServiceRecord) =>
  (item: ServiceRecord): boolean =>
    Object.entries(filter).every(
      ([name, value]) => value === undefined || normalizeValue(item[name] ?? value) === normalizeValue(value),
    );

const normalizeValue = (value: unknown): string => String(value).toLowerCase();

/** Most names of the fields are assumed, so that a service may have another meaning for one. */
export const describeHidden = (noun: string): string =>
  `the service sent ${noun} that do not match the filter, which are not shown; leave it out to see them`;

const LINE_FEED = 0x0a;

async function* concatenatePages(pages: AsyncIterable<ListPage>): AsyncGenerator<Uint8Array | string> {
  for await (const { response } of pages)
    yield* [response.body, response.body.at(-1) === LINE_FEED ? "" : "\n"];
}

async function* mergePages(pages: AsyncIterable<ListPage>, noun: string): AsyncGenerator<string> {
  let before = "";
  let after = "";
  try {
    for await (const page of pages) {
      const items = requireItems(page, noun);
      const sent = Object.entries(toSent(page.holder) ?? {});
      const [name = null] = sent.find(([, value]) => value === toSent(items)) ?? [];
      if (before === "") before = name === null ? "[\n" : `{${JSON.stringify(name)}:[\n`;
      for (const item of items) {
        yield before + JSON.stringify(toSent(item));
        before = ",\n";
      }
      const others = JSON.stringify(Object.fromEntries(sent.filter(([member]) => member !== name))).slice(1);
      after = name === null ? "\n]\n" : `\n]${others === "}" ? "" : ","}${others}\n`;
    }
  } catch (error) {
    // What is printed so far stays one document.
    if (before === ",\n") yield after;
    throw error;
  }
  yield before === ",\n" ? after : before + after;
}

interface ListPage<R extends ApiResponse = Page> {
  readonly response: R;
  readonly items: readonly ServiceRecord[] | null;
  /** The object with the list; null if the response is the list. */
  readonly holder: ServiceRecord | null;
}

/** Common names of the member with the items. Otherwise, the only array is the list. */
const LIST_FIELD_NAMES = ["data", "items", "results"];

function parsePage<R extends ApiResponse>(response: R, noun: string): ListPage<R> {
  return { response, ...findList(parseJsonResponse(response, noun)) };
}

function findList(body: unknown): Pick<ListPage, "items" | "holder"> {
  const holder = isRecord(body) ? body : null;
  const lists = Object.entries(holder ?? {}).filter(([, value]) => Array.isArray(value));
  const named = lists.find(([name]) => LIST_FIELD_NAMES.includes(name));
  const [, list] = named ?? (lists.length === 1 ? lists[0] : undefined) ?? [];
  const envelope = lists.length === 0 ? holder?.data : undefined;
  if (isRecord(envelope)) return findList(envelope);
  const items = holder ? list : body;
  return { holder, items: Array.isArray(items) && items.every(isRecord) ? items : null };
}

function requireItems({ items }: Pick<ListPage, "items">, noun: string): readonly ServiceRecord[] {
  if (items) return items;
  throw unexpectedResponseError(`${noun}: expected a list in the response`);
}
